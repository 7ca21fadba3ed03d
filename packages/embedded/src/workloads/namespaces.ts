import { isDeepStrictEqual } from 'node:util';
import { type ApiObject, type Namespace, NAMESPACES, type ObjectCondition, timestamp } from '@karpenter-ts/kubernetes';
import {
  type Client,
  type Controller,
  DONE,
  type Instant,
  kindSource,
  type Result,
  SECOND,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ApiResource, ApiResources } from './api-resources.ts';
import { findCondition, withCondition } from './conditions.ts';
import type { WorkloadDeps } from './workload-deps.ts';

/** The finalizer of every namespace, removed once its content is deleted. */
const FINALIZER = 'kubernetes';
const LOOK_AGAIN: Result = { requeueAfter: 1 * SECOND };

/** What is left of a kind. */
interface Remainder {
  readonly resource: ApiResource;
  readonly objects: readonly ApiObject[];
}

/**
 * The namespace controller: deletes the content of terminating namespaces, pods first, and then removes their
 * finalizer.
 */
export function namespaceController(deps: WorkloadDeps, resources: ApiResources): Controller {
  const { client, clock, caches } = deps;
  return {
    name: 'namespace',
    kind: { group: '', kind: 'Namespace' },
    concurrency: 10,
    sources: [kindSource(caches.namespaces, { when: ({ object }) => object.metadata.deletionTimestamp !== undefined })],
    reconcile: async (name) => {
      const namespace = caches.namespaces.get(name);
      if (namespace?.metadata.deletionTimestamp === undefined) return DONE;
      if (!namespace.spec?.finalizers?.includes(FINALIZER)) return DONE;
      const terminating = await markTerminating(client, namespace);
      resources.refresh(); // what a kind that came just now has here must go, too
      const { left, failures } = await empty(client, name, await resources.list());
      const told = await writeConditions(client, terminating, conditionsFor(left, failures), clock.now());
      if (failures.length > 0) throw failures[0];
      if (left.length > 0) return LOOK_AGAIN;
      await finalize(client, told);
      return DONE;
    },
  };
}

async function markTerminating(client: Client, namespace: Namespace): Promise<Namespace> {
  if (namespace.status?.phase === 'Terminating') return namespace;
  const status = { ...namespace.status, phase: 'Terminating' };
  return client.update<Namespace>(NAMESPACES, { ...namespace, status }, { subresource: 'status' });
}

/** Deletes all content. The rest waits until all pods are gone, because they may need it to terminate. */
async function empty(
  client: Client,
  namespace: string,
  resources: readonly ApiResource[],
): Promise<{ readonly left: readonly Remainder[]; readonly failures: readonly Error[] }> {
  const deletable = resources.filter(
    ({ type, verbs }) => type.namespaced && verbs.includes('delete') && verbs.includes('list'),
  );
  const isPods = ({ type }: ApiResource): boolean => type.group === '' && type.plural === 'pods';
  const left: Remainder[] = [];
  const failures: Error[] = [];
  for (const resource of deletable.toSorted((a, b) => Number(isPods(b)) - Number(isPods(a)))) {
    if (left.some((remainder) => isPods(remainder.resource))) break;
    try {
      const objects = await emptyKind(client, namespace, resource);
      if (objects.length > 0) left.push({ resource, objects });
    } catch (error) {
      failures.push(error as Error);
    }
  }
  return { left, failures };
}

/** Returns what could not be deleted at once because of finalizers. */
async function emptyKind(client: Client, namespace: string, { type }: ApiResource): Promise<readonly ApiObject[]> {
  const { items } = await client.listAll(type, { namespace });
  if (items.length === 0) return [];
  for (const { metadata } of items) {
    await unlessGone(client.delete(type, metadata, { propagationPolicy: 'Background' }));
  }
  return (await client.listAll(type, { namespace })).items;
}

type Finding = Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>;

/** The conditions of a terminating namespace without problems. */
const FINE: readonly Finding[] = [
  {
    type: 'NamespaceDeletionDiscoveryFailure',
    status: 'False',
    reason: 'ResourcesDiscovered',
    message: 'All resources successfully discovered',
  },
  {
    type: 'NamespaceDeletionGroupVersionParsingFailure',
    status: 'False',
    reason: 'ParsedGroupVersions',
    message: 'All legacy kube types successfully parsed',
  },
  {
    type: 'NamespaceDeletionContentFailure',
    status: 'False',
    reason: 'ContentDeleted',
    message: 'All content successfully deleted, may be waiting on finalization',
  },
  {
    type: 'NamespaceContentRemaining',
    status: 'False',
    reason: 'ContentRemoved',
    message: 'All content successfully removed',
  },
  {
    type: 'NamespaceFinalizersRemaining',
    status: 'False',
    reason: 'ContentHasNoFinalizers',
    message: 'All content-preserving finalizers finished',
  },
];

function conditionsFor(left: readonly Remainder[], failures: readonly Error[]): readonly Finding[] {
  const trouble = [...failureFinding(failures), ...contentFinding(left), ...finalizerFinding(left)];
  return FINE.map((fine) => trouble.find(({ type }) => type === fine.type) ?? fine);
}

function failureFinding(failures: readonly Error[]): readonly Finding[] {
  if (failures.length === 0) return [];
  const texts = failures.map(({ message }) => message).toSorted();
  const message = `Failed to delete all resource types, ${failures.length} remaining: ${texts.join(', ')}`;
  return [{ type: 'NamespaceDeletionContentFailure', status: 'True', reason: 'ContentDeletionFailed', message }];
}

function contentFinding(left: readonly Remainder[]): readonly Finding[] {
  if (left.length === 0) return [];
  const counts = left.map(
    ({ resource: { type }, objects }) => `${type.plural}.${type.group} has ${objects.length} resource instances`,
  );
  const message = `Some resources are remaining: ${counts.toSorted().join(', ')}`;
  return [{ type: 'NamespaceContentRemaining', status: 'True', reason: 'SomeResourcesRemain', message }];
}

function finalizerFinding(left: readonly Remainder[]): readonly Finding[] {
  const counts = new Map<string, number>();
  for (const { metadata } of left.flatMap(({ objects }) => objects)) {
    for (const finalizer of metadata.finalizers ?? []) counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const texts = [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`);
  const message = `Some content in the namespace has finalizers remaining: ${texts.toSorted().join(', ')}`;
  return [{ type: 'NamespaceFinalizersRemaining', status: 'True', reason: 'SomeFinalizersRemain', message }];
}

async function writeConditions(
  client: Client,
  namespace: Namespace,
  findings: readonly Finding[],
  now: Instant,
): Promise<Namespace> {
  let conditions = namespace.status?.conditions ?? [];
  for (const finding of findings) {
    const known = findCondition(conditions, finding.type);
    const lastTransitionTime = known?.status === finding.status ? known.lastTransitionTime : timestamp(now);
    conditions = withCondition(conditions, { ...finding, lastTransitionTime });
  }
  if (isDeepStrictEqual(conditions, namespace.status?.conditions)) return namespace;
  const status = { ...namespace.status, conditions };
  return client.update<Namespace>(NAMESPACES, { ...namespace, status }, { subresource: 'status' });
}

async function finalize(client: Client, namespace: Namespace): Promise<void> {
  const finalizers = (namespace.spec?.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER);
  const final = { ...namespace, spec: { ...namespace.spec, finalizers } };
  await unlessGone(client.update(NAMESPACES, final, { subresource: 'finalize' }));
}
