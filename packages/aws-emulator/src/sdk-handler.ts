import { ConnectionResetError, type WireRequest, type WireResponse } from './wire/message.ts';

/** The part of the SDK's requests that we read. */
export interface SdkRequest {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** Stands in for the HTTP handler of an SDK client, as its `requestHandler`. */
export interface SdkHandler {
  handle(
    request: SdkRequest,
    options?: { readonly abortSignal?: unknown },
  ): Promise<{ response: { statusCode: number; headers: Record<string, string>; body: Uint8Array } }>;
}

type Handle = (request: WireRequest, signal?: AbortSignal) => Promise<WireResponse>;

/**
 * Takes the requests of SDK clients to an emulator in this process, without sockets: so they work in virtual time. The
 * first request of a process reads the SDK's files of settings, which a virtual clock does not wait for: make one
 * before the clock is moved.
 */
export function sdkHandler(emulator: { readonly handle: Handle }): SdkHandler {
  return {
    handle: async (request, { abortSignal } = {}) => {
      const signal = abortSignal instanceof AbortSignal ? abortSignal : undefined;
      const { status, headers, body, isCut } = await emulator.handle(wireRequestOf(request), signal);
      if (isCut) throw new ConnectionResetError();
      return { response: { statusCode: status, headers: { ...headers }, body: Buffer.from(body) } };
    },
  };
}

function wireRequestOf({ method, path, query = {}, headers, body }: SdkRequest): WireRequest {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value ?? '']) parameters.append(name, each as string);
  }
  const search = parameters.size === 0 ? '' : `?${parameters.toString()}`;
  const lowerCase = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return { method, path: path + search, headers: lowerCase, body: textOf(body) };
}

function textOf(body: unknown): string {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  throw new TypeError('only requests whose body is at hand can be handled in the process');
}
