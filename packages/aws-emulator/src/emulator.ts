import { type Authorization, Authorizer } from './authorizer.ts';
import { bootInstances } from './boot/boot-instances.ts';
import type { BootDeps, InstanceBoots } from './boot/instance-boots.ts';
import type { EmulatorClock } from './clock.ts';
import { createServices, type Levers } from './create-services.ts';
import { Dispatcher } from './dispatcher.ts';
import { Faults } from './faults/faults.ts';
import { Credentials } from './state/credentials.ts';
import { EventBridge } from './state/event-bridge.ts';
import type { Place } from './state/place.ts';
import { Random } from './state/random.ts';
import { Timers } from './state/timers.ts';
import { serveHttp } from './wire/http-server.ts';
import type { WireRequest, WireResponse } from './wire/message.ts';

export interface EmulatorOptions {
  /** The host's, or a virtual one. */
  readonly clock: EmulatorClock;
  /** Ids, spot prices and all other choices follow from it. */
  readonly seed: number;
  /** Where the levers put things unless told otherwise; requests name their own region. */
  readonly region?: string;
  /** The account of all credentials that STS did not issue. */
  readonly account?: string;
  /** The instance types that EC2 has, for tests to which its hundreds of types are only a burden. */
  readonly instanceTypes?: readonly string[];
  /** Serves HTTP on the loopback address, too; port 0 is any free one. */
  readonly listen?: { readonly port: number };
  /** Told of each request, and of the account and region that it is for, for tests that count them. */
  readonly onRequest?: (service: string, operation: string, input: object, caller: Place) => void;
}

/** AWS in this process. */
export interface Emulator extends Levers {
  /** For the endpoint override of SDK clients; undefined when it does not listen. */
  readonly endpoint: string | undefined;
  /** The account and region of the levers. */
  readonly place: Place;
  /** Answers one request without a socket. Rejects with a ConnectionResetError where a fault breaks the connection. */
  handle(request: WireRequest, signal?: AbortSignal): Promise<WireResponse>;
  /** What is to go wrong on the wire. */
  readonly faults: Faults;
  /** What callers may do. */
  readonly authorization: Authorization;
  readonly eventBridge: EventBridge;
  /** Has the instances that run from now on join a cluster, if their user data lets them. Without, nothing boots. */
  bootInto(cluster: Omit<BootDeps, 'timers'>): InstanceBoots;
  /** Stops everything and leaves nothing behind: no timer, no port. */
  stop(): Promise<void>;
}

export const OWN_ACCOUNT = '111122223333';
export const OWN_REGION = 'us-east-1';

/** Starts the services. When it resolves they answer; they know of nothing that a lever or a request has not created. */
export async function startEmulator(options: EmulatorOptions): Promise<Emulator> {
  const { clock, seed, region = OWN_REGION, account = OWN_ACCOUNT, onRequest } = options;
  const random = new Random(seed);
  const timers = new Timers(clock);
  const credentials = new Credentials(account, random);
  const eventBridge = new EventBridge({ clock, random });
  const faults = new Faults();
  const authorizer = new Authorizer();
  const place = { account, region };
  const { services, levers } = createServices({ clock, place, timers, random, credentials, eventBridge }, options);
  const dispatcher = new Dispatcher({
    clock,
    random,
    credentials,
    faults,
    services,
    ownRegion: region,
    authorizer,
    ...(onRequest && { onRequest }),
  });
  const stopping = new AbortController();
  const handle = (request: WireRequest, signal = stopping.signal): Promise<WireResponse> =>
    dispatcher.handle(request, AbortSignal.any([signal, stopping.signal]));
  const listening = options.listen && (await serveHttp(handle, options.listen.port));
  const stop = async (): Promise<void> => {
    stopping.abort();
    timers.cancelAll();
    await listening?.close();
  };
  const bootInto = (cluster: Omit<BootDeps, 'timers'>): InstanceBoots =>
    bootInstances(levers.ec2At, place, { ...cluster, timers });
  return {
    endpoint: listening?.endpoint,
    place,
    handle,
    faults,
    authorization: authorizer,
    eventBridge,
    ...levers,
    bootInto,
    stop,
  };
}
