import { parseExactJson, shared } from '@karpenter-ts/kubernetes';
import type { KubeObject } from '../object.ts';

/** What a watcher is told about an object. */
export type EventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** What is to be stored under a key. */
export interface Content {
  /** `namespace/name`, or `name` when the kind has no namespaces. */
  readonly key: string;
  readonly object: KubeObject;
  readonly labels: Readonly<Record<string, string>> | undefined;
  /** What field selectors may name, beside name and namespace. */
  readonly fields: Readonly<Record<string, string>> | undefined;
}

/**
 * An object at one revision, with what selectors read. It is encoded when its bytes are first needed, and they are
 * shared by all. Once it has bytes the object may be dropped, because it takes several times as much memory.
 */
export class Entry {
  readonly key: string;
  /** Of the write that made it. */
  readonly revision: number;
  readonly at: number; // elapsed milliseconds
  readonly labels: Content['labels'];
  readonly fields: Content['fields'];
  /** What that write was to watchers. */
  readonly type: EventType;
  readonly #onDecoded: (entry: Entry) => void;
  #object: KubeObject | undefined; // this or the line is always there
  #line: Buffer | undefined;

  /** `onDecoded` is called when the object is decoded again after it was dropped. */
  constructor(
    type: EventType,
    content: Content,
    { revision, at }: { readonly revision: number; readonly at: number },
    onDecoded: (entry: Entry) => void,
  ) {
    this.key = content.key;
    this.revision = revision;
    this.at = at;
    this.labels = content.labels;
    this.fields = content.fields;
    this.type = type;
    this.#onDecoded = onDecoded;
    this.#object = shared(content.object);
  }

  /** Nobody may change it. */
  get object(): KubeObject {
    if (this.#object !== undefined) return this.#object;
    const object = shared(decode(this.json));
    this.#object = object;
    this.#onDecoded(this); // who may let go of it at once
    return object;
  }

  get isDecoded(): boolean {
    return this.#object !== undefined;
  }

  get isEncoded(): boolean {
    return this.#line !== undefined;
  }

  get json(): Buffer {
    const { line } = this;
    return line.subarray(LINE_HEADS[this.type].length, line.length - LINE_END.length);
  }

  /** The line that watchers get for the write. It contains the object's bytes. */
  get line(): Buffer {
    this.#line ??= encodeLine(this.type, encode(this.#object!));
    return this.#line;
  }

  /** Keeps the bytes alone. */
  letGo(): void {
    this.#line = this.line;
    this.#object = undefined;
  }
}

const LINE_HEADS = {
  ADDED: Buffer.from('{"type":"ADDED","object":'),
  MODIFIED: Buffer.from('{"type":"MODIFIED","object":'),
  DELETED: Buffer.from('{"type":"DELETED","object":'),
} satisfies Record<EventType, Buffer>;

const LINE_END = Buffer.from('}\n');

/** The watch line for an object, where that of its entry does not fit. */
export function eventLine(type: EventType, json: Buffer): Buffer {
  return Buffer.concat([LINE_HEADS[type], json, LINE_END]);
}

/**
 * The object's bytes are a slice of the line that most watchers get, so that neither is copied. They have memory of
 * their own: in a shared page with requests and responses, one line would keep the whole page. That would be four times
 * as much for 20,000 pods.
 */
function encodeLine(type: EventType, json: string): Buffer {
  const head = LINE_HEADS[type].length;
  const line = Buffer.allocUnsafeSlow(head + Buffer.byteLength(json) + LINE_END.length);
  LINE_HEADS[type].copy(line);
  line.write(json, head);
  LINE_END.copy(line, line.length - LINE_END.length);
  return line;
}

/** What bytes of the store say. */
export function decode(json: Buffer): KubeObject {
  return parseExactJson(json.toString()) as KubeObject;
}

/** Kind and version come first, so that they can be cut off by length. */
export function encode(object: KubeObject): string {
  const [first, second] = Object.keys(object);
  if (first === 'kind' && second === 'apiVersion') return JSON.stringify(object);
  const { kind, apiVersion, ...rest } = object;
  return JSON.stringify({ kind, apiVersion, ...rest });
}
