import { setTimeout as sleep } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../embedded/control-plane.ts';
import { type MeasuredController, startController } from './controller.ts';
import type { ProcessFigures } from './probe-process.ts';
import { countNodes, createPool, type Demand, runPods } from './workload.ts';

export interface ScaleOutFigures extends ProcessFigures {
  /** From the first Deployment to the last pod that runs. */
  readonly seconds: number;
  readonly nodes: number;
  /** Of the control plane during that time. */
  readonly planeCpuSeconds: number;
}

/** An empty cluster with an idle controller, then these pods all at once. */
export async function measureScaleOut(demand: Demand): Promise<ScaleOutFigures> {
  return await withController(async (plane, controller) => {
    await createPool(plane.client, demand);
    await sleep(3000); // it is up, and the start is not what is measured
    await controller.figures();
    const before = plane.cpuSeconds();
    const seconds = await runPods(plane.client, demand);
    const planeCpuSeconds = plane.cpuSeconds() - before;
    const figures = await controller.figures();
    return { seconds, planeCpuSeconds, nodes: await countNodes(plane.client), ...figures };
  });
}

/** Runs a control plane and a controller, each in a process of its own, for as long as the work takes. */
export async function withController<T>(
  work: (plane: ControlPlane, controller: MeasuredController) => Promise<T>,
): Promise<T> {
  const plane = await startControlPlane();
  try {
    const controller = startController(plane.kubeconfigPath);
    try {
      return await work(plane, controller);
    } finally {
      await controller.stop();
    }
  } finally {
    await plane.stop();
  }
}
