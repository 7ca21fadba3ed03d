import {
  type ApiObject,
  CONTROLLER_REVISIONS,
  controllerRef,
  type ControllerRevision,
  type LabelSelectorSpec,
  type PodTemplate,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { canonicalJson, isAlreadyExists } from '@karpenter-ts/runtime';
import { candidatesFor, claimObjects } from './ownership.ts';
import { templateHash } from './template-hash.ts';
import type { WorkloadDeps } from './workload-deps.ts';

/** A StatefulSet or DaemonSet, whose templates are kept as ControllerRevisions. */
export interface RevisedSet extends ApiObject {
  readonly spec: {
    readonly selector: LabelSelectorSpec;
    readonly template: PodTemplate;
    readonly revisionHistoryLimit?: number | undefined;
  };
  readonly status?: { readonly collisionCount?: number | undefined } | undefined;
}

export interface RevisedKind {
  readonly type: ResourceType;
  /** The label that holds the hash of a revision. */
  readonly hashLabel: string;
}

/** The current revision, and the others from old to new. */
export interface RevisionHistory {
  readonly current: ControllerRevision;
  readonly others: readonly ControllerRevision[];
}

/**
 * Updates the history: a new template gets a revision, and one that came back gets the highest number. Orphaned
 * revisions of the set are adopted.
 */
export async function syncHistory(deps: WorkloadDeps, kind: RevisedKind, set: RevisedSet): Promise<RevisionHistory> {
  const all = await claimRevisions(deps, kind, set);
  const wanted = canonicalJson(dataOf(set));
  const equal = all.filter(({ data }) => canonicalJson(data) === wanted);
  const newest = equal.at(-1);
  const others = all.filter((revision) => !equal.includes(revision));
  const next = Math.max(0, ...others.map(({ revision }) => revision)) + 1;
  if (newest === undefined) return { current: await createRevision(deps, kind, set, next), others };
  if (newest.revision >= next) return { current: newest, others };
  const renumbered = { ...newest, revision: next };
  return { current: await deps.client.update<ControllerRevision>(CONTROLLER_REVISIONS, renumbered), others };
}

/** Deletes the oldest revisions beyond the limit that no pod uses. */
export async function truncateHistory(
  { client }: WorkloadDeps,
  { spec }: RevisedSet,
  { others }: RevisionHistory,
  isLive: (revision: ControllerRevision) => boolean,
): Promise<void> {
  const history = others.filter((revision) => !isLive(revision));
  const excess = history.length - (spec.revisionHistoryLimit ?? 10);
  for (const { metadata } of history.slice(0, Math.max(0, excess))) await client.delete(CONTROLLER_REVISIONS, metadata);
}

async function claimRevisions(
  { client, caches }: WorkloadDeps,
  { type }: RevisedKind,
  owner: RevisedSet,
): Promise<readonly ControllerRevision[]> {
  const candidates = candidatesFor(caches.controllerRevisions, owner);
  const claimed = await claimObjects({ client, owner, ownerType: type, type: CONTROLLER_REVISIONS, candidates });
  return claimed.toSorted((a, b) => a.revision - b.revision);
}

async function createRevision(
  { client }: WorkloadDeps,
  { type, hashLabel }: RevisedKind,
  set: RevisedSet,
  revision: number,
): Promise<ControllerRevision> {
  const { name, namespace, annotations } = set.metadata;
  const data = dataOf(set);
  for (let collisions = set.status?.collisionCount ?? 0; ; collisions++) {
    const hash = templateHash(set.spec.template, collisions);
    const metadata = {
      name: `${name.slice(0, 223)}-${hash}`,
      namespace,
      labels: { ...set.spec.template.metadata?.labels, [hashLabel]: hash },
      ...(annotations && { annotations }),
      ownerReferences: [controllerRef(set, type)],
    };
    const wanted = { apiVersion: 'apps/v1', kind: 'ControllerRevision', metadata, data, revision };
    try {
      return await client.create<ControllerRevision>(CONTROLLER_REVISIONS, wanted);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const existing = await client.get<ControllerRevision>(CONTROLLER_REVISIONS, metadata);
      if (canonicalJson(existing.data) === canonicalJson(data)) return existing; // the cache did not show it yet
    }
  }
}

function dataOf({ spec }: RevisedSet): ControllerRevision['data'] {
  return { spec: { template: { ...spec.template, $patch: 'replace' } } };
}
