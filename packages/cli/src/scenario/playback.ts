import {
  type ApiObject,
  apiVersionOf,
  nanosToMilliseconds,
  parseDuration,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { RESOURCES } from '@karpenter-ts/apis';
import type { Client, SteadyClock } from '@karpenter-ts/runtime';
import type { ScenarioFile } from './scenario-file.ts';
import { performStep, type StepDeps } from './step.ts';
import { objectsOf, type Workload } from './workload.ts';

/** What a scenario is played on, and who is told. */
export interface Stage extends StepDeps {
  readonly clock: SteadyClock;
}

const KINDS: readonly ResourceType[] = RESOURCES.kwok.map(({ scope, ...kind }) => {
  return { ...kind, namespaced: scope === 'Namespaced' };
});

const DEFAULT_NODE_CLASS: ApiObject = {
  apiVersion: 'karpenter.kwok.sh/v1alpha1',
  kind: 'KWOKNodeClass',
  metadata: { name: 'default' },
};

/**
 * Creates what the scenario begins with, then does its steps as their times come; resolves after the last, or when the
 * signal is aborted. Throws, in words for the user, what the cluster does not take.
 */
export async function play(file: ScenarioFile, stage: Stage, signal: AbortSignal): Promise<void> {
  const { client, clock } = stage;
  const begun = clock.elapsed();
  for (const object of withNodeClass(file.objects)) await createObject(object, client);
  for (const workload of file.spec.workloads) await createWorkload(workload, file, client);
  const steps = file.spec.steps.map((step) => ({ step, at: begun + nanosToMilliseconds(parseDuration(step.at)) }));
  for (const { step, at } of steps.sort((a, b) => a.at - b.at)) {
    await clock.sleep(Math.max(0, at - clock.elapsed()), signal).catch(() => undefined);
    if (signal.aborted) return;
    await performStep(step, file.spec.workloads, stage, signal);
  }
}

/** A file need not spell out the class that most pools use. */
function withNodeClass(objects: readonly ApiObject[]): readonly ApiObject[] {
  const hasClass = objects.some(({ kind }) => kind === DEFAULT_NODE_CLASS.kind);
  return hasClass ? objects : [DEFAULT_NODE_CLASS, ...objects];
}

async function createObject(object: ApiObject, client: Client): Promise<void> {
  const type = KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);
  if (type === undefined) throw new Error(`a simulated cluster has no ${object.kind}`);
  await client.create(type, object);
}

async function createWorkload(workload: Workload, file: ScenarioFile, client: Client): Promise<void> {
  try {
    for (const { type, object } of objectsOf(workload)) await client.create(type, object);
  } catch (error) {
    throw new Error(`${file.placeOf(workload.name)}: ${(error as Error).message}`, { cause: error });
  }
}
