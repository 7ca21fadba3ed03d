import type { Instant } from '@karpenter-ts/runtime';
import { type DaemonSet, type Pod, scaledValue } from '@karpenter-ts/kubernetes';
import { isAvailable, isTerminating, isReady, isTerminal } from '../pod-state.ts';
import { isUpToDate, type Placement } from './placement.ts';

/** Nodes that need a pod, and pods to delete. */
export interface DaemonPlan {
  readonly create: readonly string[];
  readonly remove: readonly Pod[];
}

export interface DaemonState {
  readonly set: DaemonSet;
  /** What the set wants on each existing node. */
  readonly placements: ReadonlyMap<string, Placement>;
  /** By the node they are bound to or were created for. */
  readonly pods: ReadonlyMap<string, readonly Pod[]>;
  /** Of the present template. */
  readonly hash: string;
  readonly now: Instant;
}

/** One pod on each node that wants one. Pods that have ended are deleted; the next reconcile replaces them. */
export function planPlacement(state: DaemonState): DaemonPlan {
  const create: string[] = [];
  const remove: Pod[] = [];
  for (const [name, placement] of state.placements) {
    const pods = state.pods.get(name) ?? [];
    if (placement === 'none') remove.push(...pods.filter((pod) => !isTerminating(pod)));
    else {
      const isNeeded = placement === 'run' && (allowsSurge(state.set) ? !pods.some(isAlive) : pods.length === 0);
      if (isNeeded) create.push(name);
      remove.push(...pods.filter((pod) => isTerminal(pod) && !isTerminating(pod)), ...findExcess(state, pods));
    }
  }
  return { create, remove: [...remove, ...findStranded(state)] };
}

function isAlive(pod: Pod): boolean {
  return !isTerminating(pod) && !isTerminal(pod);
}

/**
 * All but the oldest pod. During a surge, an old and a new pod stay side by side while the old one is ready and the new
 * one is not yet available.
 */
function findExcess({ set, hash, now }: DaemonState, pods: readonly Pod[]): readonly Pod[] {
  const running = pods.filter(isAlive).toSorted(scheduledAndOldestFirst);
  if (!allowsSurge(set) || running.length <= 1) return running.slice(1);
  const [updated, ...moreUpdated] = running.filter((pod) => pod.metadata.labels?.['controller-revision-hash'] === hash);
  const [old, ...moreOld] = running.filter((pod) => pod.metadata.labels?.['controller-revision-hash'] !== hash);
  const isReplaced =
    old !== undefined &&
    updated !== undefined &&
    (!isReady(old) || isAvailable(updated, now, set.spec.minReadySeconds));
  return [...moreUpdated, ...moreOld, ...(isReplaced ? [old] : [])];
}

export function scheduledAndOldestFirst(a: Pod, b: Pod): number {
  const [x, y] = [Boolean(a.spec.nodeName), Boolean(b.spec.nodeName)];
  if (x !== y) return x ? -1 : 1;
  const [s = '', t = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (s !== t) return s < t ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** Unbound pods created for nodes that were deleted meanwhile; no other controller would delete them. */
function findStranded({ placements, pods }: DaemonState): readonly Pod[] {
  const unbound = [...pods].filter(([node]) => !placements.has(node)).flatMap(([, each]) => each);
  return unbound.filter((pod) => !pod.spec.nodeName && !isTerminating(pod));
}

function allowsSurge(set: DaemonSet): boolean {
  return updateLimits(set, 1).maxSurge > 0;
}

function updateLimits(
  { spec }: DaemonSet,
  wanted: number,
): { readonly maxSurge: number; readonly maxUnavailable: number } {
  if (spec.updateStrategy.type !== 'RollingUpdate') return { maxSurge: 0, maxUnavailable: 0 };
  const { maxSurge = 0, maxUnavailable = 0 } = spec.updateStrategy.rollingUpdate ?? {};
  const surge = scaledValue(maxSurge, wanted, 'up');
  const unavailable = scaledValue(maxUnavailable, wanted, 'up');
  return { maxSurge: surge, maxUnavailable: wanted > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** The old and the new pod of a node; undefined if there are more, which the placement step must delete first. */
function pairOn(
  { set, hash }: DaemonState,
  pods: readonly Pod[],
): { readonly old?: Pod; readonly updated?: Pod } | undefined {
  const staying = pods.filter((pod) => !isTerminating(pod));
  const [updated, anotherUpdated] = staying.filter((pod) => isUpToDate(set, pod, hash));
  const [old, anotherOld] = staying.filter((pod) => !isUpToDate(set, pod, hash));
  if (anotherUpdated !== undefined || anotherOld !== undefined) return undefined;
  return { ...(old && { old }), ...(updated && { updated }) };
}

/** The nodes that should have a pod. */
export function wantedNodes({ placements }: DaemonState): ReadonlySet<string> {
  return new Set([...placements].filter(([, placement]) => placement === 'run').map(([node]) => node));
}

/** What a rolling update may do now. Old pods that are not available may be deleted at any time. */
export function planUpdate(state: DaemonState): DaemonPlan {
  const wanted = wantedNodes(state);
  const { maxSurge, maxUnavailable } = updateLimits(state.set, wanted.size);
  const nodes = [...new Set([...state.pods.keys(), ...wanted])];
  return maxSurge === 0
    ? { create: [], remove: planReplacing(state, nodes, maxUnavailable) }
    : planSurging(state, nodes, { wanted, maxSurge });
}

function planReplacing(state: DaemonState, nodes: readonly string[], maxUnavailable: number): readonly Pod[] {
  const isUp = isUpIn(state);
  const broken: Pod[] = [];
  const candidates: Pod[] = [];
  let unavailable = 0;
  for (const node of nodes) {
    const pair = pairOn(state, state.pods.get(node) ?? []);
    const { old, updated } = pair ?? {};
    if ((old === undefined) === (updated === undefined))
      unavailable++; // placement has work to do here first
    else if (old === undefined) unavailable += isUp(updated) ? 0 : 1;
    else if (isUp(old)) candidates.push(old);
    else {
      broken.push(old);
      unavailable++;
    }
  }
  return [...broken, ...candidates.slice(0, Math.max(0, maxUnavailable - unavailable))];
}

function isUpIn({ set, now }: DaemonState): (pod: Pod | undefined) => boolean {
  return (pod) => pod !== undefined && isAvailable(pod, now, set.spec.minReadySeconds);
}

function planSurging(
  state: DaemonState,
  nodes: readonly string[],
  { wanted, maxSurge }: { readonly wanted: ReadonlySet<string>; readonly maxSurge: number },
): DaemonPlan {
  const isUp = isUpIn(state);
  const remove: Pod[] = [];
  const misplaced: Pod[] = []; // work, but where the set no longer wants them
  const urgent: string[] = [];
  const candidates: string[] = [];
  let surging = 0;
  let available = 0;
  for (const node of nodes) {
    const pair = pairOn(state, state.pods.get(node) ?? []);
    if (pair === undefined) {
      surging++;
      continue;
    }
    const { old, updated } = pair;
    if (isUp(old ?? updated)) available++;
    if (old === undefined) continue;
    if (updated !== undefined) {
      if (isUp(updated)) remove.push(old);
      else surging++;
    } else if (wanted.has(node)) (isUp(old) ? candidates : urgent).push(node);
    else (isUp(old) ? misplaced : remove).push(old);
  }
  const spare = Math.max(0, available - wanted.size);
  return {
    create: [...urgent, ...candidates.slice(0, Math.max(0, maxSurge - surging))],
    remove: [...remove, ...misplaced.slice(0, spare)],
  };
}
