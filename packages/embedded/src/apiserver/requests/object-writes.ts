import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import { GoStrategy } from '../kinds/go-strategy.ts';
import type { GoStruct } from '../kinds/go-types.ts';
import type { KubeObject } from '../object.ts';
import { notFound } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import type { WriteContext } from '../verbs/create.ts';
import { parseWriteOptions } from '../verbs/options.ts';
import { applyPatch, type Patched } from '../verbs/patch.ts';
import { checkUid, inPlace, type Update, update } from '../verbs/update.ts';
import { jsonAnswer, storedAnswer } from './answer.ts';
import { bodyText, mediaType, parseObject, warningsOf } from './bodies.ts';
import { presentObject, type View } from './presentation.ts';

/** A request for a resource, ready to be carried out. */
export interface ResourceRequest {
  readonly request: TransportRequest;
  readonly query: URLSearchParams;
  readonly strategy: Strategy;
  readonly namespace: string | undefined;
  readonly view: View;
}

/** The same for one object. */
export interface ObjectRequest extends ResourceRequest {
  readonly name: string;
}

/** What a write is answered with. */
export interface Written {
  readonly status: number;
  readonly object: KubeObject;
  readonly dryRun: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Answers a write with its object: with the very bytes that were stored, where that is what the client wants. */
export function writtenAnswer({ objects }: WriteContext, view: View, written: Written): TransportResponse {
  const { status, object, dryRun, headers } = written;
  const { name, namespace, resourceVersion } = object.metadata;
  const entry = dryRun ? undefined : objects.collection(view.strategy).find(keyOf(name, namespace));
  const isStored = entry !== undefined && String(entry.revision) === resourceVersion;
  if (isStored && view.form === 'object' && !view.strategy.conversion) return storedAnswer(status, entry, headers);
  return jsonAnswer(status, presentObject(view, object), headers);
}

/** Carries out a PUT of an object or its status. Throws an ApiError. */
export function replaceAnswer(context: WriteContext, asked: ObjectRequest, part: Update['part']): TransportResponse {
  const { strategy, namespace, name, request, query, view } = asked;
  const { dryRun, fieldValidation } = parseWriteOptions(query, 'UpdateOptions');
  const stored = request.takesValues ? context.objects.get(strategy, keyOf(name, namespace)) : undefined;
  const decoded = strategy.decode(parseObject(request, strategy.resource.kind), stored);
  const warnings = warningsOf(decoded, fieldValidation, strategy.resource);
  const write: Update = { strategy, namespace, name, dryRun, part };
  const sent = inPlace(decoded.object, write);
  const { object, created } = update(context, write, (old) => {
    checkUid(sent, old, write);
    return sent;
  });
  return writtenAnswer(context, view, { status: created ? 201 : 200, object, dryRun, headers: warnings });
}

/** Carries out a PATCH of an object or its status. Throws an ApiError. */
export function patchAnswer(context: WriteContext, asked: ObjectRequest, part: Update['part']): TransportResponse {
  const { strategy, view } = asked;
  const target: Patched = { type: patchedType(strategy), decode: (body, old) => strategy.decode(body, old) };
  return writtenAnswer(context, view, patch(context, { ...asked, part, target }));
}

/** By what a strategic patch finds its way through an object; undefined for kinds that take none. */
export function patchedType(strategy: Strategy): GoStruct | undefined {
  return strategy instanceof GoStrategy ? strategy.type : undefined;
}

/** A PATCH of a type that the kind takes, and how what is patched shows. */
export interface PatchRequest extends ObjectRequest {
  readonly part: Update['part'];
  readonly target: Patched;
  /** For a part that is an object of its own: how it is made from the whole, and put back. */
  readonly shown?: { of(old: KubeObject): KubeObject; into(old: KubeObject, next: KubeObject): KubeObject };
}

/** Patches an object, or a part that is shown as one. Throws an ApiError. */
export function patch(context: WriteContext, asked: PatchRequest): Written {
  const { strategy, namespace, name, request, query, part, target, shown = WHOLE } = asked;
  const contentType = mediaType(request);
  const { dryRun, fieldValidation } = parseWriteOptions(query, 'PatchOptions');
  let headers: Readonly<Record<string, string>> = {};
  const { object } = update(context, { strategy, namespace, name, dryRun, part }, (old) => {
    if (old === undefined) throw notFound(strategy.resource, name);
    const decoded = applyPatch(shown.of(old), { contentType, body: bodyText(request), fieldValidation }, target);
    headers = warningsOf(decoded, fieldValidation, strategy.resource);
    return shown.into(old, inPlace(decoded.object, asked));
  });
  return { status: 200, object, dryRun, headers };
}

const WHOLE = { of: (old: KubeObject) => old, into: (_: KubeObject, next: KubeObject) => next };
