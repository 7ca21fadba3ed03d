import type { SteadyClock } from '@karpenter-ts/runtime';
import { generateName, type Random, randomUid } from '../identity.ts';
import { timestamp } from '@karpenter-ts/kubernetes';
import { type KubeObject, type Metadata, mergeMetadata } from '../object.ts';
import { alreadyExists, badRequest, forbidden, invalid, misjudged, notFound } from '../status.ts';
import { keyOf, type Objects } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';

/** What every write needs. */
export interface WriteContext {
  readonly objects: Objects;
  readonly clock: SteadyClock;
  readonly random: Random;
}

/** A write to a resource, in a namespace if it is namespaced. */
export interface Write {
  readonly strategy: Strategy;
  readonly namespace: string | undefined;
  /** Dry run: everything is checked and answered as usual, but nothing is stored. */
  readonly dryRun: boolean;
}

const NAME_ATTEMPTS = 8; // as the real server

/** Stores a new object and returns it as stored. Throws an ApiError. */
export function create(context: WriteContext, write: Write, sent: KubeObject): KubeObject {
  const { strategy, namespace } = write;
  const metadata = checkNamespace(sent.metadata, write);
  requireNamespace(context, write, sent);
  const admitted = strategy.admit({ ...sent, metadata }, undefined, context.objects);
  const needsName = !metadata.name && Boolean(metadata.generateName);
  for (let attempt = 1; ; attempt++) {
    const { object, problems } = strategy.create(withSystemFields(admitted, context));
    const { name } = object.metadata;
    if (problems.length > 0) throw invalid(strategy.errorKind, name ?? '', problems);
    if (Number(metadata.resourceVersion) > 0)
      throw misjudged('resourceVersion should not be set on objects to be created');
    const isTaken = context.objects.collection(strategy).find(keyOf(name, namespace)) !== undefined;
    if (!isTaken) return write.dryRun ? object : context.objects.put(strategy, object);
    if (!needsName || attempt === NAME_ATTEMPTS) throw alreadyExists(strategy.resource, name);
  }
}

/** The metadata in the request's namespace; an object that says it belongs to another is refused. */
export function checkNamespace(metadata: Metadata, { strategy, namespace }: Omit<Write, 'dryRun'>): Metadata {
  const own = strategy.resource.namespaced ? namespace : undefined;
  if (metadata.namespace === own) return metadata;
  if (!strategy.resource.namespaced) return mergeMetadata(metadata, { namespace: undefined });
  if (metadata.namespace && metadata.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return mergeMetadata(metadata, { namespace });
}

/** Throws an ApiError if the namespace of a new object does not exist or is terminating. */
export function requireNamespace(
  { objects }: WriteContext,
  { strategy, namespace = '' }: Write,
  sent: KubeObject,
): void {
  if (!strategy.resource.namespaced) return;
  const found = objects.entry('/namespaces', namespace);
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.fields?.['status.phase'] !== 'Terminating') return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const causes = [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ];
  throw forbidden(strategy.resource, sent.metadata.name ?? '', why, causes);
}

/** Metadata that only the server sets, whatever was sent. */
function withSystemFields(object: KubeObject, { clock, random }: WriteContext): KubeObject {
  const { resourceVersion: _, deletionTimestamp: __, deletionGracePeriodSeconds: ___, ...kept } = object.metadata;
  const { name, generateName: prefix } = kept;
  const metadata: Metadata = {
    ...kept,
    ...(!name && prefix ? { name: generateName(prefix, random) } : {}),
    uid: randomUid(random),
    creationTimestamp: timestamp(clock.now()),
  };
  return { ...object, metadata };
}
