import type { TransportRequest, TransportResponse } from '@karpenter-ts/runtime';
import type { Registry } from '../registry.ts';
import { methodNotAllowed, notFound, successStatus, tooLargeVersion, unknownPath } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import type { IncludeObject } from '../table/table.ts';
import { create, type WriteContext } from '../verbs/create.ts';
import { type Deleted, remove } from '../verbs/delete.ts';
import { listPage, parseVersion } from '../verbs/list.ts';
import { type DeleteOptions, parseDeleteOptions, parseListOptions, parseWriteOptions } from '../verbs/options.ts';
import { checkPatchType } from '../verbs/patch.ts';
import { selectionOf } from '../verbs/selection.ts';
import { Watch } from '../verbs/watch.ts';
import { eventsAnswer, jsonAnswer, piecesAnswer, storedAnswer, streamAnswer } from './answer.ts';
import { mediaType, parseObject, parseOptionsBody, requireJson, warningsOf } from './bodies.ts';
import { acceptedForm, requireAcceptable } from './negotiation.ts';
import {
  type ObjectRequest,
  patchAnswer,
  patchedType,
  type ResourceRequest,
  replaceAnswer,
  writtenAnswer,
} from './object-writes.ts';
import { eventValues, presentList, presentObject, type View, watchPresentation } from './presentation.ts';
import type { Target } from './routes.ts';
import { checkSubresource, subresourceAnswer } from './subresources.ts';

/** Carries out requests for resources and their objects. Throws ApiErrors. */
export class ResourceRequests {
  readonly #context: WriteContext;
  readonly #registry: Registry;

  constructor(context: WriteContext, registry: Registry) {
    this.#context = context;
    this.#registry = registry;
  }

  answer(request: TransportRequest, target: Target, query: URLSearchParams, signal?: AbortSignal): TransportResponse {
    const { group, version, plural, namespace, name, subresource } = target;
    const strategy = this.#registry.find(group, version, plural);
    if (strategy === undefined) throw unknownPath();
    const isMisplaced = strategy.resource.namespaced ? name !== undefined && !namespace : namespace !== undefined;
    if (isMisplaced) throw unknownPath();
    if (subresource !== undefined) checkSubresource(strategy, subresource, request.method);
    if (subresource === undefined && !takes(strategy, target, request.method)) throw methodNotAllowed();
    if (request.method === 'PATCH') checkPatchType(mediaType(request), patchedType(strategy));
    const unseen = { request, query, strategy, namespace };
    if (name === undefined && request.method === 'GET') return this.#listOrWatch(unseen, signal);
    const asked = { ...unseen, view: this.#viewOf(unseen) };
    if (name === undefined) return this.#collection(asked);
    if (subresource === undefined) return this.#object({ ...asked, name });
    return subresourceAnswer(this.#context, this.#registry, { ...asked, name }, subresource);
  }

  /** Throws an ApiError when the client wants a form we do not have. */
  #viewOf({ request, query, strategy }: Omit<ResourceRequest, 'view'>): View {
    return {
      strategy,
      form: acceptedForm(request.headers['accept']),
      include: (query.get('includeObject') || 'Metadata') as IncludeObject,
      now: () => this.#context.clock.now(),
    };
  }

  #collection(asked: ResourceRequest): TransportResponse {
    return asked.request.method === 'POST' ? this.#create(asked) : this.#deleteCollection(asked);
  }

  #object(asked: ObjectRequest): TransportResponse {
    switch (asked.request.method) {
      case 'GET':
        return this.#get(asked);
      case 'PUT':
        return replaceAnswer(this.#context, asked, 'main');
      case 'PATCH':
        return patchAnswer(this.#context, asked, 'main');
      default:
        return this.#delete(asked);
    }
  }

  #get({ strategy, namespace, name, query, view }: ObjectRequest): TransportResponse {
    const { store } = this.#context.objects;
    const asked = parseVersion(query.get('resourceVersion') ?? '');
    if (asked > store.revision) throw tooLargeVersion(asked, store.revision);
    const { objects } = this.#context;
    const entry = objects.collection(strategy).find(keyOf(name, namespace));
    if (entry === undefined) throw notFound(strategy.resource, name);
    if (view.form === 'object' && !strategy.conversion) return storedAnswer(200, entry);
    return jsonAnswer(200, presentObject(view, objects.get(strategy, entry.key)!));
  }

  /** What is asked for is looked at before the form in which it is wanted. */
  #listOrWatch(asked: Omit<ResourceRequest, 'view'>, signal: AbortSignal | undefined): TransportResponse {
    const { objects, clock, random } = this.#context;
    const { strategy, namespace } = asked;
    requireAcceptable(asked.request.headers['accept']);
    const options = parseListOptions(asked.query);
    const view = this.#viewOf(asked);
    const selection = selectionOf(strategy, namespace, options);
    const collection = objects.collection(strategy);
    if (!options.watch) {
      return piecesAnswer(200, presentList(view, listPage(objects.store, collection, selection, options)));
    }
    const watched = { store: objects.store, collection, selection, options, clock, random };
    if (asked.request.takesValues && view.form === 'object' && !strategy.conversion) {
      return eventsAnswer(new Watch({ ...watched, presentation: eventValues(strategy) }, signal));
    }
    return streamAnswer(new Watch({ ...watched, presentation: watchPresentation(view) }, signal));
  }

  #create({ strategy, namespace, request, query, view }: ResourceRequest): TransportResponse {
    requireJson(request);
    const { dryRun, fieldValidation } = parseWriteOptions(query, 'CreateOptions');
    const decoded = strategy.decode(parseObject(request, strategy.resource.kind));
    const warnings = warningsOf(decoded, fieldValidation, strategy.resource);
    const object = create(this.#context, { strategy, namespace, dryRun }, decoded.object);
    return writtenAnswer(this.#context, view, { status: 201, object, dryRun, headers: warnings });
  }

  #delete({ strategy, namespace, name, request, query, view }: ObjectRequest): TransportResponse {
    const options = parseDeleteOptions(parseOptionsBody(request), query);
    const deleted = remove(this.#context, { strategy, namespace, name, dryRun: options.dryRun }, options);
    const isStatus = deleted.outcome !== 'kept' && !strategy.traits.returnsDeleted;
    return jsonAnswer(200, isStatus ? goneStatus(strategy, deleted) : presentObject(view, deleted.object));
  }

  #deleteCollection({ strategy, namespace, request, query, view }: ResourceRequest): TransportResponse {
    const listOptions = parseListOptions(query);
    const options: DeleteOptions = parseDeleteOptions(parseOptionsBody(request), query);
    const { objects } = this.#context;
    const selection = selectionOf(strategy, namespace, listOptions);
    const page = listPage(objects.store, objects.collection(strategy), selection, listOptions);
    for (const { key } of page.entries) {
      const name = key.slice(key.indexOf('/') + 1);
      remove(this.#context, { strategy, namespace, name, dryRun: options.dryRun }, options);
    }
    return piecesAnswer(200, presentList(view, page));
  }
}

/** Whether a resource, or an object of it, can be asked in this way. */
function takes({ resource }: Strategy, { namespace, name }: Target, method: TransportRequest['method']): boolean {
  if (name !== undefined) return method !== 'POST';
  if (method === 'GET') return true;
  if (resource.namespaced && namespace === undefined) return false;
  return method === 'POST' || (method === 'DELETE' && resource.verbs.includes('deletecollection'));
}

function goneStatus({ resource }: Strategy, { object }: Deleted) {
  const { name, uid } = object.metadata;
  return successStatus({ name, group: resource.group, kind: resource.plural, uid });
}
