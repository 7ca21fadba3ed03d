import { type Controller, DONE, kindSource, type Result, unlessGone } from '@karpenter-ts/runtime';
import {
  controllerKey,
  type Pod,
  PODS,
  STATEFUL_SETS,
  type StatefulSet,
  type StatefulSetStatus,
} from '@karpenter-ts/kubernetes';
import { type RevisedKind, syncHistory, truncateHistory } from '../controller-revisions.ts';
import { isSameStatus } from '../object-status.ts';
import { candidatesFor, claimObjects } from '../ownership.ts';
import { podSource } from '../pod-source.ts';
import { nextAvailability } from '../pod-state.ts';
import { readSource } from '../read-source.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { ordinalOf, podRevision } from './identity.ts';
import { planSteps, type Revisions } from './plan.ts';
import { perform, type StatefulSetDeps } from './pods.ts';
import { nextStatus } from './status.ts';

const REVISED: RevisedKind = { type: STATEFUL_SETS, hashLabel: 'controller.kubernetes.io/hash' };

/** The StatefulSet controller: runs numbered pods with volume claims of their own, in order. */
export function statefulSetController(workloadDeps: WorkloadDeps): Controller {
  const events = workloadDeps.recorder('statefulset-controller');
  const deps: StatefulSetDeps = {
    ...workloadDeps,
    publish: (set, type, reason, message) =>
      events.publish({ on: subjectOf(set, STATEFUL_SETS), type, reason, message }),
  };
  const { caches } = deps;
  return {
    name: 'statefulset',
    kind: { group: 'apps', kind: 'StatefulSet' },
    concurrency: 5,
    sources: [
      kindSource(caches.statefulSets),
      podSource({ pods: caches.pods, sets: caches.statefulSets }),
      kindSource(caches.controllerRevisions, { keys: (revision) => controllerKey(revision, 'StatefulSet') }),
      readSource(caches.persistentVolumeClaims), // read only: it must have synced
    ],
    reconcile: async (key) => {
      const set = caches.statefulSets.get(key);
      return set === undefined ? DONE : sync(deps, set);
    },
  };
}

async function sync(deps: StatefulSetDeps, set: StatefulSet): Promise<Result> {
  const pods = await claimPods(deps, set);
  const history = await syncHistory(deps, REVISED, set);
  const current = history.others.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  const revisions: Revisions = { current: current ?? history.current, update: history.current };
  const { outdated, failure } = await carryOut(deps, set, pods, revisions);
  await writeStatus(deps, set, nextStatus(set, pods, revisions, { now: deps.clock.now(), outdated }));
  if (failure !== undefined) throw failure;
  const live = new Set([revisions.current.metadata.name, ...pods.map(podRevision)]);
  await truncateHistory(deps, set, history, ({ metadata }) => live.has(metadata.name));
  const wait = nextAvailability(pods, deps.clock.now(), set.spec.minReadySeconds);
  return wait === undefined ? DONE : { requeueAfter: wait };
}

function claimPods({ client, caches }: WorkloadDeps, owner: StatefulSet): Promise<readonly Pod[]> {
  const candidates = candidatesFor(caches.pods, owner);
  const mayAdopt = (pod: Pod): boolean => ordinalOf(owner, pod) !== undefined;
  return claimObjects({ client, owner, ownerType: STATEFUL_SETS, type: PODS, candidates, mayAdopt });
}

/** Says how many pods it deleted to update them, and what stopped it. A set that is being deleted is left as it is. */
async function carryOut(
  deps: StatefulSetDeps,
  set: StatefulSet,
  pods: readonly Pod[],
  revisions: Revisions,
): Promise<{ readonly outdated: number; readonly failure?: unknown }> {
  let outdated = 0;
  if (set.metadata.deletionTimestamp !== undefined) return { outdated };
  try {
    for (const step of planSteps(set, pods, revisions, deps.clock.now())) {
      if (!(await perform(deps, set, step))) break;
      if (step.do === 'delete' && step.why === 'outdated') outdated++;
    }
    return { outdated };
  } catch (failure) {
    return { outdated, failure };
  }
}

async function writeStatus({ client }: WorkloadDeps, set: StatefulSet, status: StatefulSetStatus): Promise<void> {
  if (isSameStatus(set.status, status)) return;
  await unlessGone(client.update(STATEFUL_SETS, { ...set, status }, { subresource: 'status' }));
}
