import { isDeepStrictEqual } from 'node:util';
import {
  type Change,
  type Controller,
  DONE,
  type EventRecorder,
  kindSource,
  type Result,
  unlessGone,
} from '@karpenter-ts/runtime';
import {
  controllerKey,
  DAEMON_SETS,
  type DaemonSet,
  type DaemonSetStatus,
  type Node,
  objectKey,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import { type RevisedKind, syncHistory, truncateHistory } from '../controller-revisions.ts';
import { Expectations } from '../expectations.ts';
import { isSameStatus, omitEmpty } from '../object-status.ts';
import { candidatesFor, claimObjects } from '../ownership.ts';
import { podSource } from '../pod-source.ts';
import { isAvailable, isTerminating, isReady, isTerminal, nextAvailability } from '../pod-state.ts';
import { PodWriter } from '../pod-writer.ts';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { FailedPods } from './failed-pods.ts';
import { isUpToDate, placementOn, placementsOn, targetOf, templateFor } from './placement.ts';
import {
  type DaemonPlan,
  type DaemonState,
  planPlacement,
  planUpdate,
  scheduledAndOldestFirst,
  wantedNodes,
} from './plan.ts';

const HASH = 'controller-revision-hash';
const REVISED: RevisedKind = { type: DAEMON_SETS, hashLabel: HASH };

interface DaemonDeps extends WorkloadDeps {
  readonly expectations: Expectations;
  readonly events: EventRecorder;
  readonly writer: PodWriter;
  readonly failedPods: FailedPods;
}

/** The DaemonSet controller: runs one pod on each matching node. */
export function daemonSetController(workloadDeps: WorkloadDeps): Controller {
  const { client, clock, caches } = workloadDeps;
  const expectations = new Expectations(clock);
  const events = workloadDeps.recorder('daemonset-controller');
  const writer = new PodWriter({ client, events, expectations, type: DAEMON_SETS });
  const deps: DaemonDeps = { ...workloadDeps, expectations, events, writer, failedPods: new FailedPods(clock) };
  return {
    name: 'daemonset',
    kind: { group: 'apps', kind: 'DaemonSet' },
    concurrency: 2,
    sources: [
      kindSource(caches.daemonSets),
      podSource({ pods: caches.pods, sets: caches.daemonSets, expectations }),
      kindSource(caches.nodes, { when: mayMovePods, keys: (node) => concerned(deps, node) }),
      kindSource(caches.controllerRevisions, { keys: (revision) => controllerKey(revision, 'DaemonSet') }),
    ],
    reconcile: async (key) => {
      const set = caches.daemonSets.get(key);
      if (set === undefined) {
        expectations.forget(key);
        deps.failedPods.forget(key);
        return DONE;
      }
      return set.metadata.deletionTimestamp === undefined ? sync(deps, key, set) : DONE;
    },
  };
}

/** Ignores heartbeats, which do not change where pods belong. */
function mayMovePods(change: Change<Node>): boolean {
  if (change.type !== 'updated') return true;
  const { object, old } = change;
  return (
    !isDeepStrictEqual(object.metadata.labels, old.metadata.labels) ||
    !isDeepStrictEqual(object.spec?.taints, old.spec?.taints)
  );
}

/** The sets that a node concerns: they want a pod there, or have one. */
function concerned({ caches }: WorkloadDeps, node: Node): readonly string[] {
  const here = new Set(
    caches.pods.byIndex('node', node.metadata.name).flatMap((pod) => controllerKey(pod, 'DaemonSet')),
  );
  const sets = caches.daemonSets.list().map((set) => ({ set, key: objectKey(set.metadata) }));
  return sets.filter(({ set, key }) => here.has(key) || placementOn(set, node) === 'run').map(({ key }) => key);
}

async function sync(deps: DaemonDeps, key: string, set: DaemonSet): Promise<Result> {
  const history = await syncHistory(deps, REVISED, set);
  const hash = history.current.metadata.labels?.[HASH] ?? '';
  const isCacheCurrent = deps.expectations.areMet(key);
  const pods = await claimPods(deps, set);
  const state = stateOf(deps, set, pods, hash);
  let wait: number | undefined;
  let failure: Error | undefined;
  if (isCacheCurrent) {
    const managed = manage(deps, key, state);
    wait = managed.wait;
    failure = await managed.done.then(undefined, (error: Error) => error);
  }
  await writeStatus(deps, set, nextStatus(state, isCacheCurrent));
  if (failure !== undefined) throw failure;
  const live = new Set(pods.map((pod) => pod.metadata.labels?.[HASH]));
  await truncateHistory(deps, set, history, ({ metadata }) => live.has(metadata.labels?.[HASH]));
  return nextLook(state, wait);
}

async function claimPods({ client, caches }: WorkloadDeps, owner: DaemonSet): Promise<readonly Pod[]> {
  const candidates = candidatesFor(caches.pods, owner);
  return claimObjects({ client, owner, ownerType: DAEMON_SETS, type: PODS, candidates });
}

function stateOf({ caches, clock }: WorkloadDeps, set: DaemonSet, all: readonly Pod[], hash: string): DaemonState {
  const pods = new Map<string, Pod[]>();
  for (const pod of all) {
    const node = targetOf(pod);
    if (node === undefined || (isTerminal(pod) && isTerminating(pod))) continue;
    const there = pods.get(node);
    if (there === undefined) pods.set(node, [pod]);
    else there.push(pod);
  }
  return { set, placements: placementsOn(set, caches.nodes.list()), pods, hash, now: clock.now() };
}

/**
 * Creates and deletes pods as needed. If there is nothing to do, takes a step of the rolling update. `wait`:
 * milliseconds until failed pods may be replaced.
 */
function manage(
  deps: DaemonDeps,
  key: string,
  state: DaemonState,
): { readonly done: Promise<void>; readonly wait: number | undefined } {
  const { create, remove } = planPlacement(state);
  const delays = remove.map((pod) => (pod.status?.phase === 'Failed' ? retryDelay(deps, key, state, pod) : 0));
  const waiting = delays.filter((delay) => delay > 0);
  const placement = { create, remove: remove.filter((_, i) => delays[i] === 0) };
  const isPlaced = placement.create.length + placement.remove.length === 0;
  const plan = isPlaced && state.set.spec.updateStrategy.type === 'RollingUpdate' ? planUpdate(state) : placement;
  for (const pod of placement.remove) reportEnd(deps, state.set, pod);
  return { done: carryOut(deps, state, plan), wait: waiting.length === 0 ? undefined : waiting.reduce(earlier) };
}

const earlier = (a: number, b: number): number => Math.min(a, b);

/** Pods that must be removed anyway are not delayed. */
function retryDelay({ failedPods }: DaemonDeps, key: string, { placements }: DaemonState, pod: Pod): number {
  const node = targetOf(pod) ?? '';
  return (placements.get(node) ?? 'none') === 'none' ? 0 : failedPods.delayFor(key, node);
}

async function carryOut({ writer }: DaemonDeps, { set, hash }: DaemonState, plan: DaemonPlan): Promise<void> {
  const templates = plan.create.map((node) => templateFor(set, node, hash));
  const outcomes = await Promise.allSettled([writer.create(set, templates), writer.delete(set, plan.remove)]);
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure !== undefined) throw failure.reason;
}

function reportEnd({ events }: DaemonDeps, set: DaemonSet, pod: Pod): void {
  const { namespace, name } = pod.metadata;
  const on = subjectOf(set, DAEMON_SETS);
  const where = `${namespace}/${name} on node ${targetOf(pod)}, will try to`;
  if (pod.status?.phase === 'Failed') {
    const message = `Found failed daemon pod ${where} kill it`;
    events.publish({ on, type: 'Warning', reason: 'FailedDaemonPod', message });
  } else if (pod.status?.phase === 'Succeeded') {
    const message = `Found succeeded daemon pod ${where} delete it`;
    events.publish({ on, type: 'Normal', reason: 'SucceededDaemonPod', message });
  }
}

function nextStatus(state: DaemonState, hasActed: boolean): DaemonSetStatus {
  const { set, pods, hash, now } = state;
  const wanted = wantedNodes(state);
  const placed = [...pods].filter(([node, there]) => state.placements.has(node) && there.length > 0);
  const scheduled = placed
    .filter(([node]) => wanted.has(node))
    .map(([, there]) => there.toSorted(scheduledAndOldestFirst)[0] as Pod);
  const available = scheduled.filter((pod) => isAvailable(pod, now, set.spec.minReadySeconds)).length;
  return omitEmpty<DaemonSetStatus>(
    {
      currentNumberScheduled: scheduled.length,
      numberMisscheduled: placed.length - scheduled.length,
      desiredNumberScheduled: wanted.size,
      numberReady: scheduled.filter(isReady).length,
      observedGeneration: (hasActed ? set.metadata.generation : set.status?.observedGeneration) ?? 0,
      updatedNumberScheduled: scheduled.filter((pod) => isUpToDate(set, pod, hash)).length,
      numberAvailable: available,
      numberUnavailable: wanted.size - available,
      ...(set.status?.collisionCount !== undefined && { collisionCount: set.status.collisionCount }),
    },
    ['currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady', 'collisionCount'],
  );
}

async function writeStatus({ client }: WorkloadDeps, set: DaemonSet, status: DaemonSetStatus): Promise<void> {
  if (isSameStatus(set.status, status)) return;
  await unlessGone(client.update(DAEMON_SETS, { ...set, status }, { subresource: 'status' }));
}

function nextLook({ set, pods, now }: DaemonState, wait: number | undefined): Result {
  const available = nextAvailability([...pods.values()].flat(), now, set.spec.minReadySeconds);
  const waits = [wait, available].filter((each) => each !== undefined);
  return waits.length === 0 ? DONE : { requeueAfter: Math.min(...waits) };
}
