import {
  type ApiObject,
  apiVersionOf,
  nanosToMilliseconds,
  parseDuration,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { RESOURCES } from '@karpenter-ts/apis';
import { type Client, SECOND, type SteadyClock } from '@karpenter-ts/runtime';
import type { AwsAccount } from '../aws/account.ts';
import { findActionProblem } from './aws-action.ts';
import type { ScenarioFile } from './scenario-file.ts';
import { performStep, type Step, type StepDeps } from './step.ts';
import { objectsOf, type Workload } from './workload.ts';

/** What a scenario is played on, and who is told. */
export interface Stage extends StepDeps {
  readonly clock: SteadyClock;
}

const KINDS: readonly ResourceType[] = [...RESOURCES.kwok, ...RESOURCES.aws].map(({ scope, ...kind }) => {
  return { ...kind, namespaced: scope === 'Namespaced' };
});

/**
 * Creates what the scenario begins with, then does its steps as their times come; resolves after the last, or when the
 * signal is aborted. What AWS does at once it does before anything is created. Throws, in words for the user, what the
 * cluster or AWS does not take.
 */
export async function play(file: ScenarioFile, stage: Stage, signal: AbortSignal): Promise<void> {
  const { client, clock } = stage;
  const begun = clock.elapsed();
  const all = file.spec.steps
    .map((step, index) => ({ step, place: file.placeOf(['spec', 'steps', index]), at: delayOf(step) }))
    .sort((a, b) => a.at - b.at);
  const first = all.filter(({ step, at }) => step.aws !== undefined && at === 0);
  if (stage.account) for (const { step, place } of all) checkAction(step, place, stage.account);
  for (const { step } of first) await performStep(step, file.spec.workloads, stage, signal);
  const isNodeClass = ({ kind = '' }: ApiObject): boolean => kind.endsWith('NodeClass');
  const nodeClasses = file.objects.filter(isNodeClass);
  for (const object of nodeClasses) await createObject(object, client);
  if (stage.account) await untilExamined(nodeClasses, stage, signal);
  for (const object of file.objects.filter((one) => !isNodeClass(one))) await createObject(object, client);
  for (const workload of file.spec.workloads) await createWorkload(workload, file, client);
  for (const { step, at } of all.filter((one) => !first.includes(one))) {
    await clock.sleep(Math.max(0, begun + at - clock.elapsed()), signal).catch(() => undefined);
    if (signal.aborted) return;
    await performStep(step, file.spec.workloads, stage, signal);
  }
}

function delayOf({ at }: Step): number {
  return nanosToMilliseconds(parseDuration(at));
}

function checkAction({ aws }: Step, place: string, account: AwsAccount): void {
  const problem = aws && findActionProblem(aws, account);
  if (problem !== undefined) throw new Error(`${place}: ${problem}`);
}

type SeenClass = ApiObject & {
  readonly status?: { readonly conditions?: readonly { readonly status: string; readonly reason: string }[] };
};

/** A controller that is not there looks at nothing. */
const LONGEST_WAIT = 60 * SECOND;
const LOOK_PERIOD = 0.1 * SECOND;

/**
 * Waits until the controller has looked for what the NodeClasses ask for, be it that something is missing. A pool whose
 * class has nothing yet works, too, but not without errors in the log.
 */
async function untilExamined(
  nodeClasses: readonly ApiObject[],
  { client, clock }: Stage,
  signal: AbortSignal,
): Promise<void> {
  const isExamined = async (object: ApiObject): Promise<boolean> => {
    const { status } = await client.get<SeenClass>(typeOf(object), { name: object.metadata.name });
    const conditions = status?.conditions ?? [];
    return conditions.length > 0 && !conditions.some(({ reason }) => reason === 'AwaitingReconciliation');
  };
  for (let waited = 0; waited < LONGEST_WAIT && !signal.aborted; waited += LOOK_PERIOD) {
    const examined = await Promise.all(nodeClasses.map(isExamined));
    if (examined.every(Boolean)) return;
    await clock.sleep(LOOK_PERIOD, signal).catch(() => undefined);
  }
}

function typeOf(object: ApiObject): ResourceType {
  const type = KINDS.find((kind) => kind.kind === object.kind && apiVersionOf(kind) === object.apiVersion);
  if (type === undefined) throw new Error(`a simulated cluster has no ${object.kind}`);
  return type;
}

async function createObject(object: ApiObject, client: Client): Promise<void> {
  await client.create(typeOf(object), object);
}

async function createWorkload(workload: Workload, file: ScenarioFile, client: Client): Promise<void> {
  try {
    for (const { type, object } of objectsOf(workload)) await client.create(type, object);
  } catch (error) {
    const index = file.spec.workloads.indexOf(workload);
    const place = file.placeOf(['spec', 'workloads', index, 'podSpec']);
    throw new Error(`${place}: ${(error as Error).message}`, { cause: error });
  }
}
