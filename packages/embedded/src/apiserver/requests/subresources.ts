import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import { specFinalizers, withFinalizers } from '../kinds/behaviour/namespace.ts';
import { goTypeOf } from '../kinds/builtin.ts';
import { goStruct } from '../kinds/go-types.ts';
import { decodeKind, type KindName } from '../kinds/kind-decode.ts';
import type { KubeObject } from '../object.ts';
import type { Registry } from '../registry.ts';
import { methodNotAllowed, notFound, unknownPath } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import { bind } from '../verbs/binding.ts';
import type { WriteContext } from '../verbs/create.ts';
import { evict } from '../verbs/eviction.ts';
import { parseDeleteOptions, parseWriteOptions, type WriteOptions } from '../verbs/options.ts';
import { scaleOf, withScale } from '../verbs/scale.ts';
import { inPlace, update } from '../verbs/update.ts';
import { jsonAnswer } from './answer.ts';
import { parseObject, requireJson, warningsOf } from './bodies.ts';
import { type ObjectRequest, patch, patchAnswer, replaceAnswer } from './object-writes.ts';
import { presentObject } from './presentation.ts';

const SCALE: KindName = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
const BINDING: KindName = { group: '', version: 'v1', kind: 'Binding' };
const EVICTION: KindName = { group: 'policy', version: 'v1', kind: 'Eviction' };

/** Throws an ApiError when objects have no such part, or it has no such method. */
export function checkSubresource({ resource }: Strategy, name: string, method: TransportRequest['method']): void {
  const served = resource.subresources.find((one) => one.name === name);
  if (served === undefined) throw unknownPath();
  if (!served.verbs.some((verb) => METHODS[verb] === method)) throw methodNotAllowed();
}

/** Carries out a request for a part that an object has. Throws an ApiError. */
export function subresourceAnswer(
  context: WriteContext,
  registry: Registry,
  asked: ObjectRequest,
  name: string,
): TransportResponse {
  switch (name) {
    case 'scale':
      return scaleAnswer(context, asked);
    case 'binding':
      return bindingAnswer(context, asked);
    case 'eviction':
      return evictionAnswer(context, asked, registry.get('policy', 'v1', 'poddisruptionbudgets'));
    case 'finalize':
      return finalizeAnswer(context, asked);
    default:
      return partAnswer(context, asked, name === 'status' ? 'status' : 'main');
  }
}

const METHODS: Readonly<Record<string, TransportRequest['method']>> = {
  create: 'POST',
  get: 'GET',
  patch: 'PATCH',
  update: 'PUT',
};

/** A part that is read and written as the whole object, of which it counts alone. */
function partAnswer(context: WriteContext, asked: ObjectRequest, part: 'main' | 'status'): TransportResponse {
  switch (asked.request.method) {
    case 'PUT':
      return replaceAnswer(context, asked, part);
    case 'PATCH':
      return patchAnswer(context, asked, part);
    default:
      return jsonAnswer(200, presentObject(asked.view, getObject(context, asked)));
  }
}

function getObject({ objects }: WriteContext, { strategy, name, namespace }: ObjectRequest): KubeObject {
  const object = objects.get(strategy, keyOf(name, namespace));
  if (object === undefined) throw notFound(strategy.resource, name);
  return object;
}

/** Another kind than the resource's own, sent to one of its parts. */
function sentKind(
  { request, query }: ObjectRequest,
  kind: KindName,
  options: 'CreateOptions' | 'UpdateOptions',
): WriteOptions & { readonly sent: KubeObject; readonly warnings: Readonly<Record<string, string>> } {
  if (options === 'CreateOptions') requireJson(request); // of a PUT, options are read first
  const asked = parseWriteOptions(query, options);
  const decoded = decodeKind(parseObject(request, kind.kind), kind, goStruct(goTypeOf(kind)));
  return { ...asked, sent: decoded.object, warnings: warningsOf(decoded, asked.fieldValidation, kind) };
}

function scaleAnswer(context: WriteContext, asked: ObjectRequest): TransportResponse {
  const { strategy, name, namespace, request } = asked;
  const into = (old: KubeObject, scale: KubeObject): KubeObject => withScale(old, scale, strategy);
  if (request.method === 'GET') return jsonAnswer(200, scaleOf(getObject(context, asked), strategy));
  if (request.method === 'PATCH') {
    const type = goStruct(goTypeOf(SCALE));
    const target = { type, decode: (body: JsonObject) => decodeKind(body, SCALE, type) };
    const shown = { of: (old: KubeObject) => scaleOf(old, strategy), into };
    const { object } = patch(context, { ...asked, part: 'main', target, shown });
    return jsonAnswer(200, scaleOf(object, strategy));
  }
  const { sent, dryRun } = sentKind(asked, SCALE, 'UpdateOptions');
  const placed = inPlace(sent, asked);
  const { object } = update(context, { strategy, namespace, name, dryRun, part: 'main' }, (old) => {
    if (old === undefined) throw notFound(strategy.resource, name);
    return into(old, placed);
  });
  return jsonAnswer(200, scaleOf(object, strategy));
}

const CREATED = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };

function bindingAnswer(context: WriteContext, asked: ObjectRequest): TransportResponse {
  const { strategy, name, namespace } = asked;
  const { sent, dryRun } = sentKind(asked, BINDING, 'CreateOptions');
  bind(context, { strategy, name, namespace, dryRun }, sent);
  return jsonAnswer(201, CREATED);
}

function evictionAnswer(context: WriteContext, asked: ObjectRequest, budgets: Strategy): TransportResponse {
  const { strategy, name, namespace } = asked;
  const { sent, dryRun } = sentKind(asked, EVICTION, 'CreateOptions');
  const options = parseDeleteOptions(sent['deleteOptions'] ?? {}, new URLSearchParams());
  const isDry = dryRun || options.dryRun;
  const order = { strategy, name, namespace, budgets, dryRun: isDry, options: { ...options, dryRun: isDry } };
  evict(context, order, sent);
  return jsonAnswer(201, CREATED);
}

/** Whoever has emptied a namespace takes its finalizer here; the last one ends it. */
function finalizeAnswer(context: WriteContext, asked: ObjectRequest): TransportResponse {
  const { strategy, request, query, view } = asked;
  const { dryRun } = parseWriteOptions(query, 'UpdateOptions');
  const { object: sent } = strategy.decode(parseObject(request, strategy.resource.kind));
  inPlace(sent, asked);
  const old = getObject(context, asked);
  const next = withFinalizers(old, specFinalizers(sent));
  const isLast = Boolean(old.metadata.deletionTimestamp) && strategy.isFinal(next);
  if (dryRun) return jsonAnswer(200, presentObject(view, next));
  const stored = isLast ? context.objects.remove(strategy, next) : context.objects.put(strategy, next);
  return jsonAnswer(200, presentObject(view, stored));
}
