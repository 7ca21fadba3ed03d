import { type JsonObject, shared } from '@karpenter-ts/kubernetes';
import type { Instant, RawEvent } from '@karpenter-ts/runtime';
import type { KubeObject } from '../object.ts';
import { apiVersionOf } from '../resources.ts';
import type { ApiError } from '../status.ts';
import { type EventType, encode, eventLine } from '../storage/entry.ts';
import { decodeStored, encodedFor } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import { type IncludeObject, type Table, toTable } from '../table/table.ts';
import type { ListPage } from '../verbs/list.ts';
import type { Presentation } from '../verbs/watch.ts';
import type { Form } from './negotiation.ts';

/** In which form a client wants the objects of a resource. */
export interface View {
  readonly strategy: Strategy;
  readonly form: Form;
  /** What the rows of a table tell of their objects. */
  readonly include: IncludeObject;
  readonly now: () => Instant;
}

/** One object in the form asked for. */
export function presentObject(view: View, object: KubeObject): JsonObject {
  switch (view.form) {
    case 'object':
      return object;
    case 'metadata':
      return metadataOf(object);
    default:
      return table(tableOf(view, [object]), { resourceVersion: object.metadata.resourceVersion });
  }
}

function metadataOf({ metadata }: KubeObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
}

function tableOf({ strategy, include, now }: View, objects: readonly KubeObject[]): Table {
  return toTable(strategy.resource, objects, { now: now(), include });
}

function table(content: Table, metadata: JsonObject): JsonObject {
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, ...(content as unknown as JsonObject) };
}

/** A page of objects in the form asked for, as pieces of one JSON text: stored bytes go out as they are. */
export function* presentList(view: View, { entries, metadata }: ListPage): Generator<Buffer> {
  const { strategy, form } = view;
  const objects = (): KubeObject[] => entries.map(({ json }) => decodeStored(json, strategy));
  if (form === 'table') {
    yield Buffer.from(JSON.stringify(table(tableOf(view, objects()), metadata)));
  } else if (form === 'metadata') {
    const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata };
    yield Buffer.from(JSON.stringify({ ...list, items: objects().map(metadataOf) }));
  } else {
    const { resource, traits } = strategy;
    const shown = traits.typedItems ? { continue: '', ...metadata } : metadata; // not left out where all is kept
    const head = JSON.stringify({ kind: resource.listKind, apiVersion: apiVersionOf(resource), metadata: shown });
    yield Buffer.from(`${head.slice(0, -1)},"items":[`);
    const skip = traits.typedItems ? 0 : typeLength(strategy);
    for (const [index, { json }] of entries.entries()) {
      if (index > 0) yield COMMA;
      if (skip > 0) yield BRACE;
      yield encodedFor(strategy, json).subarray(skip);
    }
    yield LIST_END;
  }
}

const COMMA = Buffer.from(',');
const BRACE = Buffer.from('{');
const LIST_END = Buffer.from(']}');

/** How much of an object's JSON is its kind and version, which the items of a list go without. */
function typeLength({ resource }: Strategy): number {
  const { kind } = resource;
  return Buffer.byteLength(JSON.stringify({ kind, apiVersion: apiVersionOf(resource) }));
}

/** The lines of a watch in the form asked for. */
export function watchPresentation(view: View): Lines {
  return view.form === 'object' ? plainLines(view.strategy) : madeLines(view);
}

type Lines = Presentation<Buffer, Buffer>;

/** About what most objects would have. */
const OBJECT_BYTES = 1024;

/** The events of a watch as values, for whoever is in this process. */
export function eventValues(strategy: Strategy): Presentation<RawEvent, readonly RawEvent[]> {
  return {
    event: (type, { object }) => ({ type, object }),
    departure: ({ object }, resourceVersion) => ({ type: 'DELETED', object: shared(asOf(object, resourceVersion)) }),
    bookmark: (resourceVersion, endsInitialEvents) => ({
      type: 'BOOKMARK',
      object: bookmark(strategy, resourceVersion, endsInitialEvents),
    }),
    error: (error) => ({ type: 'ERROR', object: error.status() }),
    sizeOf: () => OBJECT_BYTES,
    join: (events) => events,
  };
}

/** Most watchers share the lines made with the changes. */
function plainLines(strategy: Strategy): Lines {
  return {
    ...commonLines(strategy),
    event: (type, state) =>
      type === state.type && !strategy.conversion ? state.line : eventLine(type, encodedFor(strategy, state.json)),
    departure: ({ json }, resourceVersion) =>
      eventLine('DELETED', Buffer.from(encode(asOf(decodeStored(json, strategy), resourceVersion)))),
  };
}

function madeLines(view: View): Lines {
  const { strategy } = view;
  const made = (type: EventType, object: KubeObject): Buffer =>
    eventLine(type, Buffer.from(JSON.stringify(presentObject(view, object))));
  return {
    ...commonLines(strategy),
    event: (type, { json }) => made(type, decodeStored(json, strategy)),
    departure: ({ json }, resourceVersion) => made('DELETED', asOf(decodeStored(json, strategy), resourceVersion)),
  };
}

function commonLines(strategy: Strategy): Pick<Lines, 'bookmark' | 'error' | 'sizeOf' | 'join'> {
  const line = (type: string, object: JsonObject): Buffer => Buffer.from(`${JSON.stringify({ type, object })}\n`);
  return {
    bookmark: (resourceVersion, endsInitialEvents) =>
      line('BOOKMARK', bookmark(strategy, resourceVersion, endsInitialEvents)),
    error: (error: ApiError) => line('ERROR', error.status()),
    sizeOf: ({ line }) => line.length,
    join: (lines) => (lines.length === 1 ? lines[0]! : Buffer.concat(lines)),
  };
}

function bookmark({ resource }: Strategy, resourceVersion: string, endsInitialEvents: boolean): JsonObject {
  const annotations = endsInitialEvents ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  const { kind } = resource;
  return { kind, apiVersion: apiVersionOf(resource), metadata: { resourceVersion, ...annotations } };
}

function asOf(object: KubeObject, resourceVersion: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion } };
}
