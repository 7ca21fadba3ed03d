import type { JsonObject } from '@karpenter-ts/kubernetes';
import type { Transport, TransportResponse } from '@karpenter-ts/runtime';
import type { FuzzRequest } from './random-request.ts';

/** What a server said to a request. */
export interface FuzzAnswer {
  readonly status: number;
  /** Undefined for a watch, whose body is not waited for. */
  readonly text: string | undefined;
}

/** What a server last answered about one path. */
interface Memory {
  version: string;
  uid: string;
  continue: string;
}

/**
 * Sends requests to one server, one after the other, and remembers the versions and uids that later requests must name.
 */
export class FuzzSession {
  readonly #transport: Transport;
  readonly #memories = new Map<string, Memory>();

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Rejects when no answer comes: that is a fault of the server. */
  async send({ about, method, path, headers, body }: FuzzRequest, signal: AbortSignal): Promise<FuzzAnswer> {
    const memory = this.#memoryOf(about);
    const request = {
      method,
      path: fill(path, memory, encodeURIComponent),
      headers,
      ...(body !== undefined && { body: fill(body, memory, String) }),
    };
    const response = await this.#transport.send(request, signal);
    if (response.status === 200 && /[?&]watch=(true|1)/.test(path)) {
      response.discard();
      return { status: response.status, text: undefined };
    }
    const { status } = response;
    const text = await readAll(response);
    if (status < 300 && method !== 'DELETE' && !path.includes('dryRun')) remember(memory, text);
    return { status, text };
  }

  #memoryOf(about: string): Memory {
    const known = this.#memories.get(about);
    if (known !== undefined) return known;
    const memory = { version: '', uid: '00000000-0000-4000-8000-000000000000', continue: 'none' };
    this.#memories.set(about, memory);
    return memory;
  }
}

function fill(text: string, memory: Memory, encode: (value: string) => string): string {
  return text.replace(/@(version|uid|continue)@/g, (_, name: keyof Memory) => encode(memory[name]));
}

async function readAll(response: TransportResponse): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

function remember(memory: Memory, text: string): void {
  const { metadata, kind } = parse(text) as { metadata?: Partial<Record<string, string>>; kind?: string };
  if (metadata === undefined || kind === 'Status') return;
  if (metadata['uid'] === undefined) memory.continue = metadata['continue'] ?? memory.continue;
  else Object.assign(memory, { uid: metadata['uid'], version: metadata['resourceVersion'] });
}

function parse(text: string): JsonObject {
  try {
    return JSON.parse(text) as JsonObject;
  } catch {
    return {}; // no JSON was asked for
  }
}

/** What is wrong with the form of a response; undefined if nothing is. */
export function findFlaw({ status, text }: FuzzAnswer): string | undefined {
  if (status >= 500) return `answered ${status}`;
  if (status < 400 || text === undefined) return undefined;
  const { kind, apiVersion, status: outcome, message, reason, code } = parse(text);
  if (kind !== 'Status' || apiVersion !== 'v1' || outcome !== 'Failure') return 'is an error but no Status';
  if (code !== status) return `has code ${JSON.stringify(code)} in the Status and ${status} in the head`;
  if (typeof message !== 'string' || message === '') return 'says nothing';
  return typeof reason === 'string' && reason !== '' ? undefined : 'gives no reason';
}

/** Whether the server could parse the request and had to check its content. */
export function wasUnderstood({ status }: FuzzAnswer): boolean {
  return ![400, 405, 406, 413, 415].includes(status);
}
