import { createHash, createHmac } from 'node:crypto';
import type { Metrics, SteadyClock } from '@karpenter-ts/runtime';
import { SignatureV4 } from '@smithy/signature-v4';
import type { AwsCredentialIdentityProvider, Checksum, HttpRequest, HttpResponse, SourceData } from '@smithy/types';
import { AwsError } from '../api/aws-error.ts';
import type { ArcZonalShiftApi, ManagedResource } from '../api/aws-apis.ts';
import type { AwsHttpHandler } from './http-handler.ts';
import { MeasuredRequest } from './request-metrics.ts';
import type { RetryStrategy } from './retry-strategy.ts';
import { ServiceClock } from './service-clock.ts';
import { toCallError } from './service-errors.ts';

const CALL = { service: 'ARC Zonal Shift', operation: 'GetManagedResource' };

export interface ArcZonalShiftSettings {
  readonly region: string;
  readonly endpoint: string | undefined;
  readonly credentials: AwsCredentialIdentityProvider;
  readonly handler: AwsHttpHandler;
  readonly retries: RetryStrategy;
  readonly userAgent: string;
  readonly clock: SteadyClock;
  readonly metrics: Metrics;
}

/** The one call of ARC zonal shift that is needed, signed here because AWS' client for it is in no registry we have. */
export function arcZonalShiftClient(settings: ArcZonalShiftSettings): ArcZonalShiftApi {
  const { region, credentials } = settings;
  const signer = new SignatureV4({ credentials, region, service: 'arc-zonal-shift', sha256: Sha256 });
  const clock = new ServiceClock(settings.clock);
  const ask = async (resource: string, signal: AbortSignal): Promise<ManagedResource> => {
    const request = await signer.sign(requestFor(resource, settings), { signingDate: new Date(clock.now()) });
    const { response } = await settings.handler.handle(request, { abortSignal: signal });
    if (response.statusCode !== 200 && clock.setBy(response.headers['date'])) throw new WrongTimeError();
    return readAnswer(response);
  };
  return {
    getManagedResource: async ({ resourceIdentifier }, signal) => {
      const { service, operation: action } = CALL;
      const measured = new MeasuredRequest(settings, { service, action });
      const attempt = (): Promise<ManagedResource> => measured.attempt(() => ask(resourceIdentifier, signal), statusOf);
      try {
        return await withRetries(attempt, settings.retries, signal);
      } catch (error) {
        throw signal.aborted || error instanceof AwsError ? error : toCallError(error, CALL);
      } finally {
        measured.finish();
      }
    },
  };
}

/** The request was signed for another time than the service's. The next one will not be. */
class WrongTimeError extends Error {
  override readonly name = 'WrongTimeError';

  constructor() {
    super('the clock of this host is off');
  }
}

function requestFor(resource: string, { region, endpoint, userAgent }: ArcZonalShiftSettings): HttpRequest {
  const suffix = region.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com';
  const { protocol, hostname, port, host, pathname } = new URL(
    endpoint ?? `https://arc-zonal-shift.${region}.${suffix}`,
  );
  return {
    protocol,
    hostname,
    ...(port && { port: Number(port) }),
    method: 'GET',
    path: `${pathname.replace(/\/$/, '')}/managedresources/${encodeURIComponent(resource)}`,
    query: {},
    headers: { host, 'user-agent': userAgent },
  };
}

async function withRetries<T>(attempt: () => Promise<T>, retries: RetryStrategy, signal: AbortSignal): Promise<T> {
  let token = await retries.acquireInitialRetryToken();
  for (;;) {
    try {
      const result = await attempt();
      retries.recordSuccess(token);
      return result;
    } catch (error) {
      signal.throwIfAborted();
      const errorType = mayPass(error) ? 'TRANSIENT' : 'CLIENT_ERROR';
      try {
        token = await retries.refreshRetryTokenForRetry(token, { errorType });
      } catch {
        throw error;
      }
      signal.throwIfAborted();
    }
  }
}

/** Broken connections, throttling and failures of the server. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof AwsError)) return !(error instanceof SyntaxError);
  return error.fault === 'server' || error.statusCode === 429 || error.code.startsWith('Throttl');
}

function readAnswer({ statusCode, headers, body }: HttpResponse): ManagedResource {
  const text = String(body);
  if (statusCode === 200) return readResource(JSON.parse(text));
  const requestId = headers['x-amzn-requestid'];
  const code = (headers['x-amzn-errortype'] ?? '').split(':')[0] || 'UnknownError';
  const fault = statusCode >= 500 ? 'server' : 'client';
  throw new AwsError(code, messageIn(text), { ...CALL, statusCode, requestId, fault });
}

function messageIn(text: string): string {
  try {
    const { message, Message } = JSON.parse(text) as { readonly message?: string; readonly Message?: string };
    return message ?? Message ?? 'UnknownError';
  } catch {
    return 'UnknownError';
  }
}

/** The parts that are read. Times are seconds since the epoch; what has another form is left out. */
function readResource(answer: unknown): ManagedResource {
  const { arn, name, zonalShifts } = (answer ?? {}) as Record<string, unknown>;
  const shifts = Array.isArray(zonalShifts) ? (zonalShifts as readonly Record<string, unknown>[]) : [];
  return {
    arn: textIn(arn),
    name: textIn(name),
    zonalShifts: shifts.map(({ awayFrom, expiryTime, appliedStatus }) => ({
      awayFrom: textIn(awayFrom),
      expiryTime: typeof expiryTime === 'number' ? new Date(expiryTime * 1000) : undefined,
      appliedStatus: textIn(appliedStatus),
    })),
  };
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function statusOf(outcome: unknown): number | undefined {
  return outcome instanceof AwsError ? outcome.statusCode : outcome instanceof Error ? undefined : 200;
}

/** The hash that signatures are made of, in the form that the signer wants it. */
class Sha256 implements Checksum {
  readonly #hash;

  constructor(secret?: SourceData) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', bytesOf(secret));
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#hash.digest());
  }

  reset(): void {
    throw new Error('a signature is made once');
  }
}

function bytesOf(secret: SourceData): string | Uint8Array {
  if (typeof secret === 'string') return secret;
  return ArrayBuffer.isView(secret)
    ? new Uint8Array(secret.buffer, secret.byteOffset, secret.byteLength)
    : new Uint8Array(secret);
}
