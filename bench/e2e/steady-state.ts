import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@karpenter-ts/runtime';
import { PODS } from '@karpenter-ts/kubernetes';
import { withController } from './scale-out.ts';
import { countNodes, createPool, type Demand, runPods } from './workload.ts';

export interface SteadyFigures {
  readonly nodes: number;
  /** While 20,000 pods were pending. */
  readonly peakRssMegabytes: number;
  /** Percent of one core while pods are replaced. */
  readonly cpuPercent: number;
}

/** One pod a node: 1 of 1.9 cores. */
const SINGLES: Demand = { name: 'singles', pods: 1_050, cpu: '1', memory: '1Gi', nodeCpu: '2' };
/** 21 pods a node, on 953 nodes: 0.75 of 15.9 cores each. */
const CROWD: Demand = { name: 'crowd', pods: 20_000, cpu: '750m', memory: '1Gi', nodeCpu: '16' };

const CALM_MS = 20_000;
const MEASURED_MS = 60_000;

/** A pod that is deleted and replaced makes five changes: terminating, deleted, created, bound, running. */
const REPLACED_PER_SECOND = 10;

/** 2,000 nodes, half of them bought while 20,000 pods are pending; then only a few pods change. */
export async function measureSteadyState(): Promise<SteadyFigures> {
  return await withController(async ({ client }, controller) => {
    for (const demand of [SINGLES, CROWD]) {
      await createPool(client, demand);
      await runPods(client, demand);
    }
    const nodes = await countNodes(client);
    const { peakRssMegabytes } = await controller.figures();
    await sleep(CALM_MS);
    await controller.figures();
    const started = performance.now();
    await replacePods(client, MEASURED_MS);
    const seconds = (performance.now() - started) / 1000;
    const { cpuSeconds } = await controller.figures();
    return { nodes, peakRssMegabytes, cpuPercent: (cpuSeconds / seconds) * 100 };
  });
}

async function replacePods(client: Client, duration: number): Promise<void> {
  const { items } = await client.listAll(PODS, { labelSelector: `demand=${CROWD.name}` });
  const started = performance.now();
  for (const [index, { metadata }] of items.entries()) {
    const due = started + (index * 1000) / REPLACED_PER_SECOND;
    if (due > started + duration) return;
    await sleep(Math.max(0, due - performance.now()));
    await client.delete(PODS, metadata);
  }
}
