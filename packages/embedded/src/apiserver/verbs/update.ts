import type { FieldPath } from '@karpenter-ts/apis';
import { goQuote, type Json } from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, type Problem } from '../field-errors.ts';
import { isSameJson } from '../json-value.ts';
import { type KubeObject, type Metadata, mergeMetadata, withMetadata } from '../object.ts';
import { badRequest, conflict, invalid, misjudged, notFound, OBJECT_MODIFIED } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import { registryKey } from '../storage/registry-key.ts';
import { checkNamespace, create, requireNamespace, type Write, type WriteContext } from './create.ts';

/** A write to an object that is there. */
export interface Update extends Write {
  readonly name: string;
  readonly part: 'main' | 'status';
}

/** What became of it. */
export interface Updated {
  readonly object: KubeObject;
  /** There was none, and the kind is one that PUT may create. */
  readonly created: boolean;
}

/** Replaces an object by what `change` makes of it, and returns it as stored. Throws an ApiError. */
export function update(
  context: WriteContext,
  write: Update,
  change: (old: KubeObject | undefined) => KubeObject,
): Updated {
  const { strategy, name, namespace } = write;
  const { resource, traits } = strategy;
  const old = context.objects.get(strategy, keyOf(name, namespace));
  if (old === undefined) {
    if (!traits.createsOnUpdate || write.part !== 'main') throw notFound(resource, name);
    const sent = change(undefined);
    requireNamespace(context, write, sent);
    checkVersionForm(sent.metadata);
    return { object: create(context, write, withMetadata(sent, { resourceVersion: undefined })), created: true };
  }
  const sent = change(old);
  checkVersionForm(sent.metadata);
  checkVersion(sent, old, write);
  return { object: replace(context, write, sent, old), created: false };
}

/** The object in the place that the request names; one that says it belongs elsewhere is refused with an ApiError. */
export function inPlace(object: KubeObject, place: Place): KubeObject {
  const metadata = checkNamespace(object.metadata, place);
  const { name: sent } = metadata;
  const { name } = place;
  if (!sent)
    throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (sent !== name) throw badRequest(`the name of the object (${sent}) does not match the name on the URL (${name})`);
  return metadata === object.metadata ? object : { ...object, metadata };
}

type Place = Pick<Update, 'strategy' | 'namespace' | 'name'>;

function checkVersionForm({ resourceVersion }: Metadata): void {
  if (!resourceVersion || /^\d{1,20}$/.test(resourceVersion)) return;
  throw misjudged(`strconv.ParseUint: parsing ${goQuote(resourceVersion)}: invalid syntax`);
}

function checkVersion(sent: KubeObject, old: KubeObject, { strategy, name }: Update): void {
  const { resource, traits } = strategy;
  const { resourceVersion } = sent.metadata;
  if (!resourceVersion || resourceVersion === '0') {
    if (!traits.needsVersion) return;
    const missing = invalidValue(['metadata', 'resourceVersion'], 0, 'must be specified for an update');
    throw invalid({ group: resource.group, kind: resource.plural }, name, [missing]);
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource, name, OBJECT_MODIFIED);
}

/** A PUT with a UID is meant for that object alone. Throws an ApiError when it meets another. */
export function checkUid(sent: KubeObject, old: KubeObject | undefined, { strategy, name, namespace }: Update): void {
  const { uid } = sent.metadata;
  if (!uid || uid === old?.metadata.uid) return;
  const key = registryKey(strategy, keyOf(name, namespace));
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old?.metadata.uid ?? ''}`;
  const error = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  throw conflict(strategy.resource, name, error);
}

function replace(context: WriteContext, write: Update, sent: KubeObject, old: KubeObject): KubeObject {
  const { strategy, name } = write;
  const admitted = write.part === 'main' ? strategy.admit(sent, old, context.objects) : sent;
  const next = { ...admitted, metadata: keptMetadata(admitted.metadata, old.metadata) };
  const { object, problems } = write.part === 'main' ? strategy.update(next, old) : strategy.updateStatus(next, old);
  const all = [...metadataProblems(object.metadata, old.metadata), ...problems];
  if (all.length > 0) throw invalid(strategy.errorKind, name, all);
  if (isSameJson(object, old)) return old; // nothing to store, and nobody to tell
  if (write.dryRun) return object;
  const isLast = old.metadata.deletionTimestamp && !old.metadata.deletionGracePeriodSeconds && strategy.isFinal(object);
  if (!isLast) return context.objects.put(strategy, object);
  context.objects.remove(strategy, object);
  return object;
}

/** An update cannot change what the server decided. */
function keptMetadata(sent: Metadata, old: Metadata): Metadata {
  if (sent === old) return sent;
  const { resourceVersion, generation, creationTimestamp } = old;
  return mergeMetadata(sent, {
    uid: sent.uid || old.uid,
    resourceVersion,
    generation,
    creationTimestamp,
    deletionTimestamp: old.deletionTimestamp ?? sent.deletionTimestamp,
    deletionGracePeriodSeconds: sent.deletionGracePeriodSeconds ?? old.deletionGracePeriodSeconds,
  });
}

const IMMUTABLE = [
  'name',
  'namespace',
  'uid',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;

function metadataProblems(next: Metadata, old: Metadata): readonly Problem[] {
  const path = (field: string): FieldPath => ['metadata', field];
  const changed = IMMUTABLE.filter((field) => (next[field] ?? null) !== (old[field] ?? null));
  const problems = changed.map((field) =>
    invalidValue(path(field), (next[field] ?? null) as Json, 'field is immutable'),
  );
  const added = old.deletionTimestamp ? (next.finalizers ?? []).filter((one) => !old.finalizers?.includes(one)) : [];
  if (added.length === 0) return problems;
  const list = added.map((one) => JSON.stringify(one)).join(', ');
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [...problems, forbiddenField(path('finalizers'), why)];
}
