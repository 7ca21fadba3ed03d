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

/** One call of the API, before it is turned into a request. */
export interface Call {
  readonly method: TransportRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly contentType: string; readonly json: unknown };
  /** What the call is about; absent for paths such as `/version`. */
  readonly target?: Target;
  /** Milliseconds for one try, including its answer. */
  readonly timeout?: number | undefined;
  /** How often to try again when the server asks for it. */
  readonly retries?: number | undefined;
  /** False for a write that would take effect twice if it were repeated. It is retried only after a refusal. */
  readonly isRepeatable?: boolean | undefined;
}

export interface Target {
  readonly type: ResourceType;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

/** Observes every request, for metrics. */
export interface RequestObserver {
  /** After each try. The code is `<error>` if no answer came. */
  answered(method: string, code: string): void;
  /** After each call except watches. The time runs from the call to the decoded answer, including waits and retries. */
  finished(method: string, target: Target, seconds: number): void;
}

/**
 * Called at the end of a write. `isOver` is false if the caller gave up before the answer: the write may then still
 * take effect.
 */
export type WriteEnd = (isOver: boolean) => void;

export interface CallerOptions {
  readonly transport: Transport;
  readonly clock: SteadyClock;
  readonly userAgent: string;
  /** Without limits, requests are not throttled. */
  readonly rateLimits?: RateLimits | undefined;
  readonly observer?: RequestObserver | undefined;
  /** The connection pool to use, `requests` by default. Watches always have their own. */
  readonly purpose?: Purpose | undefined;
  /**
   * Runs in the tick in which a write is handed to the socket; if it throws, the write is not sent. The function it
   * returns is called when the write has ended.
   */
  readonly beforeWrite?: (() => WriteEnd | void) | undefined;
  /**
   * How many milliseconds a write that was handed to the socket may still wait for its answer after the caller gave up;
   * 0 by default. Without the answer nobody knows whether the write took effect.
   */
  readonly writeGrace?: number | undefined;
  /** Whether requests and answers may share objects with a server in this process. Nobody may change these objects. */
  readonly takesValues?: boolean | undefined;
}

const TIMEOUT = 60 * SECOND; // as long as the API server itself works on a request
/** A proxy may hold back the response header of a watch until the first event. A bookmark comes every minute. */
const WATCH_HEAD_TIMEOUT = 90 * SECOND;
const RETRIES = 10; // client-go's number
/** A longer Retry-After is not waited for here; the caller decides what to do. */
const MAX_RETRY_AFTER = 60 * SECOND;

/** Sends calls: applies limits, time-outs and retries, and turns answers into values or errors. */
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

  /**
   * Opens a watch and passes it to `read`, for at most `timeout` milliseconds. It is never retried, because the reader
   * knows from which version to continue.
   */
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
      end(true); // the first try was refused: the transport repeats it with a fresh credential
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
      end(!wasGivenUp); // after a time-out or a broken connection, the server has finished as well
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

/** Patches are always encoded, because they are small. */
function encoded({ json }: NonNullable<Call['body']>, asValue: boolean): Pick<TransportRequest, 'body' | 'value'> {
  return asValue ? { value: json } : { body: JSON.stringify(json) };
}

function pathOf({ path, query = {} }: Call): string {
  const asked = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return asked.length === 0 ? path : `${path}?${new URLSearchParams(asked).toString()}`;
}

/**
 * How long to wait before another try; undefined for none. As in client-go, a call is retried if the server names a
 * time, and a read if its connection broke. Unlike client-go, a write that broke off or ended with a 5xx may have taken
 * effect and is retried only if repeating it is harmless, and a very long time is not waited for: a proxy that names a
 * day would block a reconcile for a day. A 429 means that the server has not begun.
 */
function retryDelay(call: Call, error: unknown): number | undefined {
  if (error instanceof StatusError) {
    const mayRepeat = error.code === 429 || (error.code >= 500 && call.isRepeatable !== false);
    const wait = (error.retryAfterSeconds ?? Number.POSITIVE_INFINITY) * SECOND;
    return mayRepeat && wait <= MAX_RETRY_AFTER ? wait : undefined;
  }
  const broken = error instanceof ConnectionError && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
  return broken && call.method === 'GET' ? 1 * SECOND : undefined;
}

/** API servers never redirect. A redirect comes from a proxy that wants a login. */
function isRefusal({ status }: TransportResponse): boolean {
  return status >= 300;
}

async function errorOf(call: Call, response: TransportResponse): Promise<StatusError> {
  const { method, target } = call;
  const text = await readText(response.body);
  return statusErrorOf(response.status, text, retryAfter(response), { method, type: target?.type, name: target?.name });
}

/** Parses whole seconds only, including 0. API servers do not send the other form, a date. */
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
