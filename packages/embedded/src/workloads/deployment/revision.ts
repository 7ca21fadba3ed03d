import type { Deployment, ReplicaSet } from '@karpenter-ts/kubernetes';
import { isSameTemplate } from '../template-hash.ts';
import { rolloutLimits } from './rollout-limits.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';

/** What a Deployment's own annotations are not copied over. */
const NOT_COPIED: ReadonlySet<string> = new Set([
  'kubectl.kubernetes.io/last-applied-configuration',
  'deprecated.deployment.rollback.to',
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);

const MAX_HISTORY = 2000; // characters of the history annotation, about a hundred revisions

type Annotations = Readonly<Record<string, string>>;

/** The ReplicaSets of a Deployment: the one with its current template, if any, and all others. */
export interface Revisions {
  readonly current: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Separates current and old. Of several with the current template the oldest counts. */
export function sortRevisions({ spec }: Deployment, sets: readonly ReplicaSet[]): Revisions {
  const byAge = sets.toSorted(olderFirst);
  const current = byAge.find((set) => isSameTemplate(set.spec.template, spec.template));
  return { current, old: byAge.filter((set) => set !== current) };
}

export function olderFirst(a: ReplicaSet, b: ReplicaSet): number {
  const [x = '', y = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp];
  if (x !== y) return x < y ? -1 : 1;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}

/** 0 for a set that has none, or whose annotation says nothing. */
export function revisionOf({ metadata }: ReplicaSet): number {
  const revision = Number(metadata.annotations?.[REVISION] ?? '0');
  return Number.isInteger(revision) ? revision : 0;
}

/** The number of the present template: one above all others. */
export function nextRevision(old: readonly ReplicaSet[]): number {
  return Math.max(0, ...old.map(revisionOf)) + 1;
}

/** The number of pods a set was made or resized for; undefined if its annotation says none. */
export const desiredReplicas = (set: ReplicaSet): number | undefined => countIn(set, DESIRED_REPLICAS);
/** That number and what the rollout may add. */
export const maxReplicas = (set: ReplicaSet): number | undefined => countIn(set, MAX_REPLICAS);

function countIn({ metadata }: ReplicaSet, annotation: string): number | undefined {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\d+$/.test(text) ? Number(text) : undefined;
}

/** The annotations by which a later pass sees that the Deployment has been scaled since. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  const { replicas } = deployment.spec;
  return {
    [DESIRED_REPLICAS]: String(replicas),
    [MAX_REPLICAS]: String(replicas + rolloutLimits(deployment).maxSurge),
  };
}

/** The annotations the present set should have: the Deployment's own, and its revision with all it had before. */
export function revisionAnnotations(
  deployment: Deployment,
  set: ReplicaSet | undefined,
  revision: number,
): Annotations {
  const own = Object.entries(deployment.metadata.annotations ?? {}).filter(([name]) => !NOT_COPIED.has(name));
  const annotations = { ...set?.metadata.annotations, ...Object.fromEntries(own) };
  const before = annotations[REVISION];
  if (before !== undefined && Number(before) >= revision) return annotations;
  return { ...annotations, [REVISION]: String(revision), ...historyWith(annotations[REVISION_HISTORY], before) };
}

/** A set that becomes the present one again keeps the numbers it had. */
function historyWith(history: string | undefined, revision: string | undefined): Annotations {
  if (revision === undefined) return {};
  const all = [...(history ? history.split(',') : []), revision];
  while (all.join(',').length > MAX_HISTORY) all.shift();
  return { [REVISION_HISTORY]: all.join(',') };
}
