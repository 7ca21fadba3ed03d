import type { Authorizer } from './authorizer.ts';
import type { EmulatorClock } from './clock.ts';
import { checkSkew, credentialsExpired } from './faults/auth-refusals.ts';
import type { Fault, Faults } from './faults/faults.ts';
import type { PermissionRequest } from './policies/evaluate.ts';
import type { Service } from './services/service.ts';
import type { Credentials } from './state/credentials.ts';
import type { Place } from './state/place.ts';
import type { Random } from './state/random.ts';
import { ApiError } from './wire/api-error.ts';
import { type CredentialScope, credentialScopeOf } from './wire/credential-scope.ts';
import { ConnectionResetError, type WireRequest, type WireResponse } from './wire/message.ts';
import { jsonProtocol } from './wire/json-protocol.ts';
import type { AnyHandler, Call } from './wire/operation.ts';
import { unknownAction } from './wire/unknown-action.ts';

export interface DispatcherDeps {
  readonly clock: EmulatorClock;
  readonly random: Random;
  readonly credentials: Credentials;
  readonly faults: Faults;
  readonly services: readonly Service[];
  /** For requests that are not signed, as those that exchange a token for credentials. */
  readonly ownRegion: string;
  readonly authorizer: Authorizer;
  /** Told of each request before it is carried out, and of the account and region that it is for. */
  readonly onRequest?: (service: string, operation: string, input: object, caller: Place) => void;
}

/** Takes each request to the service that it was signed for, and its answer back, faults included. */
export class Dispatcher {
  readonly #deps: DispatcherDeps;
  readonly #services: ReadonlyMap<string, Service>;

  constructor(deps: DispatcherDeps) {
    this.#deps = deps;
    this.#services = new Map(deps.services.map((service) => [service.name, service]));
  }

  /** Rejects with a ConnectionResetError where a fault breaks the connection. */
  async handle(request: WireRequest, signal: AbortSignal): Promise<WireResponse> {
    const requestId = this.#deps.random.uuid();
    const context = { ahead: 0 };
    const response = await this.#answer(request, { requestId, signal, context });
    const date = new Date(this.#deps.clock.now() + context.ahead).toUTCString();
    return { ...response, headers: { ...response.headers, 'x-amzn-requestid': requestId, date } };
  }

  async #answer(request: WireRequest, about: Exchange): Promise<WireResponse> {
    let protocol: Service['protocol'] = jsonProtocol('1.1');
    try {
      const scope = this.#scopeOf(request);
      const service = this.#services.get(scope.service);
      if (service === undefined) throw new ApiError('UnknownService', `there is no service ${scope.service} here`);
      protocol = service.protocol;
      return await this.#serve(service, scope, request, about);
    } catch (error) {
      if (error instanceof ApiError) return protocol.refusal(error, about.requestId);
      throw error;
    }
  }

  #scopeOf(request: WireRequest): CredentialScope {
    const isUnsigned = request.headers['authorization'] === undefined;
    if (isUnsigned && request.body.includes('Action=AssumeRoleWithWebIdentity')) {
      return { accessKeyId: '', region: this.#deps.ownRegion, service: 'sts', signedAt: undefined };
    }
    return credentialScopeOf(request);
  }

  async #serve(
    service: Service,
    scope: CredentialScope,
    request: WireRequest,
    { requestId, signal, context }: Exchange,
  ): Promise<WireResponse> {
    const { clock, credentials, faults, authorizer, onRequest } = this.#deps;
    const asked = service.protocol.read(request);
    const input = asked.input();
    const taken = faults.take(service.name, asked.operation, input);
    await before(taken, scope, clock, context);
    const { account, arn, isExpired } = credentials.callerOf(scope.accessKeyId, clock.now());
    if (isExpired) throw credentialsExpired(service.name);
    const place = { account, region: scope.region };
    onRequest?.(service.name, asked.operation, input, place);
    if (authorizer.isEnforcing) {
      authorizer.check(service.name, arn, place.region, permissionsFor(service, asked.operation, input, place));
    }
    service.admit?.(asked.operation, input, place);
    const handler = service.handlers[asked.operation];
    if (handler === undefined) throw unknownAction(asked.operation);
    const call: Call = {
      operation: asked.operation,
      place,
      accessKeyId: scope.accessKeyId,
      requestId,
      clock,
      signal,
    };
    const madeUp = taken.find((fault) => fault.kind === 'answer');
    const output = madeUp === undefined ? await carryOut(handler, input, call) : madeUp.answer(input);
    const response = service.protocol.answer(asked.operation, altered(output, taken), requestId);
    return after(taken, response, clock, signal);
  }
}

function permissionsFor(
  { name, permissions }: Service,
  operation: string,
  input: object,
  place: Place,
): readonly PermissionRequest[] {
  return (
    permissions?.(operation, input as never, place) ?? [{ action: `${name}:${operation}`, resource: '*', context: {} }]
  );
}

interface Exchange {
  readonly requestId: string;
  readonly signal: AbortSignal;
  /** How far the service's clock is ahead in this exchange. */
  readonly context: { ahead: number };
}

async function carryOut(handler: AnyHandler, input: object, call: Call): Promise<object> {
  return handler(input as never, call);
}

async function before(
  faults: readonly Fault[],
  scope: CredentialScope,
  clock: EmulatorClock,
  context: { ahead: number },
): Promise<void> {
  for (const fault of faults) {
    if (fault.kind === 'reset' && fault.when === 'before') throw new ConnectionResetError();
    if (fault.kind === 'refuse') throw new ApiError(fault.code, fault.message, { status: fault.status });
    if (fault.kind !== 'clock-skew') continue;
    context.ahead = fault.ahead;
    checkSkew(scope, clock.now() + fault.ahead);
  }
}

function altered(output: object, faults: readonly Fault[]): object {
  return faults.reduce((answer, fault) => (fault.kind === 'alter' ? fault.alter(answer) : answer), output);
}

async function after(
  faults: readonly Fault[],
  response: WireResponse,
  clock: EmulatorClock,
  signal: AbortSignal,
): Promise<WireResponse> {
  for (const fault of faults) {
    if (fault.kind === 'slow') await clock.sleep(fault.delay, signal);
    if (fault.kind === 'reset' && fault.when === 'after') throw new ConnectionResetError();
    if (fault.kind === 'refuse-after') throw new ApiError(fault.code, fault.message, { status: fault.status });
    if (fault.kind !== 'half-answer') continue;
    const body = response.body.slice(0, response.body.length / 2);
    return fault.length === 'hidden' ? { ...response, body } : { ...response, body, isCut: true };
  }
  return response;
}
