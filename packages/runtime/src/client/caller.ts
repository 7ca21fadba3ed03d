import { parseExactJson, type ResourceType } from '@karpenter-ts/kubernetes';
import { SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { startDeadline } from './deadline.ts';
import type { RateLimits } from './rate-limit.ts';
import { StatusError, statusErrorOf } from './status-error.ts';
import {
  ConnectionError,
  type Purpose,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  WholeBody,
} from './transport.ts';

/** One call of the API, before it is a request. */
export interface Call {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly contentType: string; readonly json: unknown };
  /** What the call is about; absent for paths such as `/version`. */
  readonly target?: Target;
  /** For one try, answer included. */
  readonly timeout?: number | undefined;
  /** How often to try again when the server asks for it. */
  readonly retries?: number | undefined;
  /** False for a write that takes effect again when it is sent again. Then only a refusal is followed by another try. */
  readonly isRepeatable?: boolean | undefined;
}

export interface Target {
  readonly type: ResourceType;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Learns of every request, for metrics. */
export interface RequestObserver {
  /** After each try; the code is `<error>` when no answer came. */
  answered(method: string, code: string): void;
  /** After each call but watches: from asking to the decoded answer, waits and tries included. */
  finished(method: string, target: Target, seconds: number): void;
}

/** Told of the end of a write: whether it is over for certain, or may still take effect as its caller gave up on it. */
export type WriteEnd = (isOver: boolean) => void;

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: SteadyClock;
  readonly userAgent: string;
  /** None: no limits of our own. */
  readonly rateLimits?: RateLimits | undefined;
  readonly observer?: RequestObserver | undefined;
  /** Whose connections its calls use; those of `requests` unless given. Watches have their own in any case. */
  readonly purpose?: Purpose | undefined;
  /**
   * Runs in the tick in which a write is handed to the socket; throwing stops the write. What it returns is called when
   * the write is over.
   */
  readonly beforeWrite?: (() => WriteEnd | void) | undefined;
  /**
   * Milliseconds for which a write that has been handed to the socket may still be answered once its caller gives up;
   * none unless given. Whoever gives up on a write that may take effect does not know what there is.
   */
  readonly writeGrace?: number | undefined;
  /** Whether what is sent and answered may be shared with a server in this process. Nobody may change it then. */
  readonly takesValues?: boolean | undefined;
}

const TIMEOUT = 60 * SECOND; // as long as the API server itself works on a request
/** A proxy may hold a watch's head back until the first event; a bookmark comes every minute. */
const WATCH_HEAD_TIMEOUT = 90 * SECOND;
const RETRIES = 10; // client-go's number
/** Whoever is asked for more patience than this decides himself what to do meanwhile. */
const MOST_PATIENCE = 60 * SECOND;

/** Sends calls: limits, time-outs, retries, and answers turned into values or errors. */
export class Caller {
  readonly #options: CallerOptions;
  readonly #takesValues: boolean;

  constructor(options: CallerOptions) {
    this.#options = options;
    this.#takesValues = options.takesValues === true && options.transport.answersAtOnce === true;
  }

  /** The decoded answer; `undefined` for an empty one. */
  async call<T>(call: Call, signal?: AbortSignal): Promise<T> {
    const { clock, observer } = this.#options;
    const started = clock.elapsed();
    try {
      for (let tries = 0; ; tries++) {
        await this.#mayGo(call, signal);
        try {
          return await this.#try<T>(call, signal);
        } catch (error) {
          const wait = tries < (call.retries ?? RETRIES) ? retryDelay(call, error) : undefined;
          if (wait === undefined) throw error;
          await clock.sleep(wait, signal);
        }
      }
    } finally {
      if (call.target) observer?.finished(call.method, call.target, (clock.elapsed() - started) / SECOND);
    }
  }

  /** What `read` makes of a watch, for at most `timeout` milliseconds. Never retried: its reader knows better from where. */
  async *stream<T>(
    call: Call,
    timeout: number,
    read: (response: TransportResponse) => AsyncIterable<T>,
    signal?: AbortSignal,
  ): AsyncGenerator<T> {
    await this.#mayGo(call, signal);
    const deadline = startDeadline(this.#options.clock, Math.min(timeout, WATCH_HEAD_TIMEOUT), signal);
    try {
      const response = await this.#send(call, 'watches', deadline.signal);
      deadline.extend(timeout);
      try {
        if (isRefusal(response)) throw await errorOf(call, response);
        yield* read(response);
      } finally {
        response.discard();
      }
    } finally {
      deadline.end();
    }
  }

  #mayGo({ target }: Call, signal: AbortSignal | undefined): Promise<void> | undefined {
    return target && this.#options.rateLimits?.wait(target.type, signal);
  }

  #try<T>(call: Call, signal: AbortSignal | undefined): Promise<T> {
    const { transport, clock, writeGrace = 0 } = this.#options;
    if (transport.answersAtOnce) return this.#exchange<T>(call, signal);
    const deadline = startDeadline(clock, call.timeout ?? TIMEOUT, signal);
    const onSent = (): void => deadline.spare(writeGrace);
    return this.#exchange<T>(call, deadline.signal, onSent).finally(() => deadline.end());
  }

  async #exchange<T>(call: Call, signal: AbortSignal | undefined, onSent?: () => void): Promise<T> {
    const response = await this.#send(call, this.#options.purpose, signal, onSent);
    if (isRefusal(response)) throw await errorOf(call, response);
    const { body } = response;
    if (this.#takesValues && body instanceof WholeBody) return body.value() as T;
    return decode<T>(await readText(body));
  }

  /** `onSent` is called once a write is handed to the socket. */
  async #send(
    call: Call,
    purpose: Purpose | undefined,
    signal: AbortSignal | undefined,
    onSent?: () => void,
  ): Promise<TransportResponse> {
    const { transport, observer, beforeWrite } = this.#options;
    signal?.throwIfAborted();
    const noEnd: WriteEnd = () => undefined;
    let end = noEnd;
    const beforeSend = (): void => {
      end(true); // of a first try that was refused: the transport repeats it with a fresh credential
      end = noEnd;
      end = beforeWrite?.() ?? noEnd;
      onSent?.();
    };
    try {
      const response = await transport.send(this.#request(call, purpose, beforeSend), signal);
      observer?.answered(call.method, String(response.status));
      end(true);
      return response;
    } catch (error) {
      observer?.answered(call.method, '<error>');
      const wasGivenUp = signal?.aborted === true && !(error instanceof ConnectionError);
      end(!wasGivenUp); // after a time-out or a break the server, too, is through with it
      throw error;
    }
  }

  #request(call: Call, purpose: Purpose | undefined, beforeSend: () => void): TransportRequest {
    const { userAgent } = this.#options;
    const headers: Record<string, string> = { accept: 'application/json', 'user-agent': userAgent };
    if (call.body) headers['content-type'] = call.body.contentType;
    return {
      method: call.method,
      path: pathOf(call),
      headers,
      ...(purpose === undefined ? {} : { purpose }),
      ...(call.body ? encoded(call.body, this.#takesValues && call.method !== 'PATCH') : {}),
      ...(call.method === 'GET' ? {} : { beforeSend }),
      ...(this.#takesValues ? { takesValues: true } : {}),
    };
  }
}

/** Patches are worth no exception: they are small. */
function encoded({ json }: NonNullable<Call['body']>, asValue: boolean): Pick<TransportRequest, 'body' | 'value'> {
  return asValue ? { value: json } : { body: JSON.stringify(json) };
}

function pathOf({ path, query = {} }: Call): string {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked).toString()}`;
}

/**
 * How long to wait before another try; undefined for none. As client-go: when the server names a time, and for reads
 * whose connection broke. A write that broke off, or ended in an error of the server (5xx), may have taken effect: it is
 * sent again only if that does no harm, which client-go does not ask. A server that is too busy (429) has not begun. Nor
 * does client-go ask how long the time is: a proxy that named a day would hold a reconcile for a day.
 */
function retryDelay(call: Call, error: unknown): number | undefined {
  if (error instanceof StatusError) {
    const mayRepeat = error.code === 429 || (error.code >= 500 && call.isRepeatable !== false);
    const wait = (error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * SECOND;
    return mayRepeat && wait <= MOST_PATIENCE ? wait : undefined;
  }
  const broken = error instanceof ConnectionError && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return broken && call.method === 'GET' ? 1 * SECOND : undefined;
}

/** API servers redirect nobody: a page of a proxy that wants a login is no answer. */
function isRefusal({ status }: TransportResponse): boolean {
  return status >= 300;
}

async function errorOf(call: Call, response: TransportResponse): Promise<StatusError> {
  const { method, target } = call;
  const text = await readText(response.body);
  return statusErrorOf(response.status, text, retryAfter(response), { method, type: target?.type, name: target?.name });
}

/** Whole seconds only, 0 included; the other form, a date, is not one API servers send. */
function retryAfter(response: TransportResponse): number | undefined {
  const header = response.headers['retry-after'];
  return header !== undefined && /^\d+$/.test(header) ? Number(header) : undefined;
}

function readText(body: AsyncIterable<Buffer>): string | Promise<string> {
  return body instanceof WholeBody ? body.bytes().toString('utf8') : readPieces(body);
}

async function readPieces(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of body) chunks.push(chunk);
  const whole = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks); // a character may span chunks
  return whole.toString('utf8');
}

function decode<T>(text: string): T {
  if (text === '') return undefined as T;
  try {
    return parseExactJson(text) as T;
  } catch (cause) {
    throw new ConnectionError('the API server answered with malformed JSON', { cause });
  }
}
