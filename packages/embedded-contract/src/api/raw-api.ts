import assert from 'node:assert/strict';
import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { TransportRequest } from '@karpenter-ts/runtime';
import type { ContractCase, ContractContext } from '../contract-case.ts';

/** A response: status code, headers and body. */
export class Answer {
  readonly code: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;

  constructor(code: number, headers: Readonly<Record<string, string>>, body: JsonObject) {
    this.code = code;
    this.headers = headers;
    this.body = body;
  }

  /** The value at a path such as `spec.containers.0.name`. */
  at(path: string): Json | undefined {
    return valueAt(this.body, path);
  }

  /** The value at a path that must lead to text. */
  text(path: string): string {
    const value = this.at(path);
    assert.equal(typeof value, 'string', `${path} of ${JSON.stringify(this.body)}`);
    return value as string;
  }

  /** The objects of a list. */
  get items(): readonly JsonObject[] {
    return this.at('items') as readonly JsonObject[];
  }

  /** Fails unless the request was carried out. */
  done(code = 200): this {
    assert.equal(this.code, code, JSON.stringify(this.body));
    return this;
  }

  /** Fails unless the request was refused like this, with a well-formed Status. */
  refused(code: number, reason: string, message: string | RegExp): this {
    const { kind, apiVersion, status } = this.body;
    assert.deepEqual({ kind, apiVersion, status }, { kind: 'Status', apiVersion: 'v1', status: 'Failure' });
    assert.deepEqual({ http: this.code, code: this.at('code') }, { http: code, code }, JSON.stringify(this.body));
    assert.equal(this.at('reason') ?? '', reason);
    if (typeof message === 'string') assert.equal(this.at('message'), message);
    else assert.match(this.text('message'), message);
    return this;
  }

  /** Fails unless these fields, and no others, were found wrong: `spec.replicas: Invalid value: -1: …`. */
  faults(...expected: readonly string[]): this {
    assert.equal(this.code, 422, JSON.stringify(this.body));
    const causes = (this.at('details.causes') ?? []) as readonly { field: string; message: string }[];
    const found = new Set(causes.map(({ field, message }) => `${field}: ${message}`));
    assert.deepEqual([...found].sort(), [...expected].sort());
    return this;
  }
}

/** The value at a path such as `spec.containers.0.name`. */
export function valueAt(object: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = object;
  for (const key of path.split('.')) at = (at as JsonObject | undefined)?.[key];
  return at;
}

/** The media types that a request states. */
export interface MediaTypes {
  readonly contentType?: string;
  readonly accept?: string;
}

export const MERGE: MediaTypes = { contentType: 'application/merge-patch+json' };
export const STRATEGIC: MediaTypes = { contentType: 'application/strategic-merge-patch+json' };
export const JSON_PATCH: MediaTypes = { contentType: 'application/json-patch+json' };

/** Sends requests without a client, so that a case sees status code, headers and body as the server sent them. */
export class RawApi {
  readonly context: ContractContext;

  constructor(context: ContractContext) {
    this.context = context;
  }

  /** The path of a resource in the case's namespace, of one of its objects, or of a part of one. */
  path(resource: string, name = '', part = ''): string {
    const [group, plural] = resource.includes('/') ? resource.split('/') : ['', resource];
    const root = group === '' ? '/api/v1' : `/apis/${group}/v1`;
    return `${root}/namespaces/${this.context.namespace}/${plural}${name && `/${name}`}${part && `/${part}`}`;
  }

  async ask(
    method: TransportRequest['method'],
    path: string,
    body?: unknown,
    { contentType = 'application/json', accept = 'application/json' }: MediaTypes = {},
  ): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { accept, ...(body === undefined ? {} : { 'content-type': contentType }) };
    const response = await this.context.transport.send({
      method,
      path,
      headers,
      ...(body === undefined ? {} : { body: text }),
    });
    const chunks: Buffer[] = [];
    for await (const chunk of response.body) chunks.push(chunk);
    return new Answer(response.status, response.headers, JSON.parse(Buffer.concat(chunks).toString()) as JsonObject);
  }

  get = (path: string, mediaTypes?: MediaTypes): Promise<Answer> => this.ask('GET', path, undefined, mediaTypes);
  post = (path: string, body: unknown, mediaTypes?: MediaTypes): Promise<Answer> =>
    this.ask('POST', path, body, mediaTypes);
  put = (path: string, body: unknown): Promise<Answer> => this.ask('PUT', path, body);
  patch = (path: string, body: unknown, mediaTypes: MediaTypes = MERGE): Promise<Answer> =>
    this.ask('PATCH', path, body, mediaTypes);
  delete = (path: string, body?: unknown): Promise<Answer> => this.ask('DELETE', path, body);

  /** A ConfigMap: the plainest object there is. */
  async configMap(name: string, metadata: JsonObject = {}, data: JsonObject = {}): Promise<Answer> {
    const created = await this.post(this.path('configmaps'), { metadata: { name, ...metadata }, data });
    return created.done(201);
  }

  /** A pod that no scheduler looks at. */
  async pod(name: string, { metadata, spec, container }: PodParts = {}): Promise<Answer> {
    const created = await this.post(this.path('pods'), podBody(name, { metadata, spec, container }));
    return created.done(201);
  }

  /** The lines of a watch, read until there are this many, or it ends. */
  async watch(
    path: string,
    count: number,
    during: () => Promise<unknown> = async () => {},
    { accept = 'application/json' }: MediaTypes = {},
  ): Promise<readonly WatchLine[]> {
    const ended = new AbortController();
    const request = { method: 'GET', path, headers: { accept } } as const;
    const response = await this.context.transport.send(request, ended.signal);
    assert.equal(response.status, 200);
    const lines: WatchLine[] = [];
    const changes = during();
    let rest = '';
    for await (const chunk of response.body) {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop()!;
      lines.push(...parts.map((line) => JSON.parse(line) as WatchLine).filter(isOwn));
      if (lines.length >= count) break;
    }
    response.discard();
    await changes;
    return lines;
  }
}

/** A controller puts a ConfigMap into every namespace, some time. */
const isOwn = ({ object }: WatchLine): boolean => valueAt(object, 'metadata.name') !== 'kube-root-ca.crt';

/** One event of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: JsonObject;
}

/** What is special about a pod. */
export interface PodParts {
  readonly metadata?: JsonObject | undefined;
  readonly spec?: JsonObject | undefined;
  readonly container?: JsonObject | undefined;
}

/** A pod that no scheduler looks at. */
export function podBody(name: string, { metadata, spec, container }: PodParts = {}): JsonObject {
  return {
    metadata: { name, ...metadata },
    spec: {
      schedulerName: 'nobody',
      containers: [{ name: 'main', image: 'example.com/app:1', ...container }],
      ...spec,
    },
  };
}

/** A case about the API, run with raw requests in a namespace of its own. */
export function apiCase(name: string, run: (api: RawApi) => Promise<void>): ContractCase {
  return { name: `api: ${name}`, run: (context) => run(new RawApi(context)) };
}

/** The type and name of an event, for comparison. */
export const eventOf = ({ type, object }: WatchLine): string => `${type} ${nameOf(object)}`;

/** The names of objects, in their order. */
export const namesOf = (objects: readonly JsonObject[]): readonly string[] => objects.map(nameOf);

function nameOf(object: JsonObject): string {
  return valueAt(object, 'metadata.name') as string;
}
