import type { EmulatorClock } from '../clock.ts';
import type { Credentials } from '../state/credentials.ts';
import type { EventBridge } from '../state/event-bridge.ts';
import type { Place } from '../state/place.ts';
import type { Random } from '../state/random.ts';
import type { Timers } from '../state/timers.ts';
import type { PermissionRequest } from '../policies/evaluate.ts';
import type { Handlers } from '../wire/operation.ts';
import type { Protocol } from '../wire/protocol.ts';

/** What every service is given. */
export interface ServiceDeps {
  readonly clock: EmulatorClock;
  /** The account and region of the levers. */
  readonly place: Place;
  /** For everything that has to happen later; all are cancelled when the emulator stops. */
  readonly timers: Timers;
  readonly random: Random;
  readonly credentials: Credentials;
  readonly eventBridge: EventBridge;
}

/** One AWS service: how it is called, and what it does. It keeps its own state, usually in a `PerPlace`. */
export interface Service {
  /** The signing name, by which requests find it: `ec2`, `iam`, `sqs`, `arc-zonal-shift` … */
  readonly name: string;
  readonly protocol: Protocol;
  /** By operation. What is missing is refused as unknown. */
  readonly handlers: Handlers;
  /** What the caller must be allowed to do for a request; unless given, the operation, on no resource in particular. */
  readonly permissions?: (operation: string, input: never, place: Place) => readonly PermissionRequest[];
  /** Called before each request, with what it asks for. Throws an ApiError to refuse, as throttling does. */
  readonly admit?: (operation: string, input: object, place: { account: string; region: string }) => void;
}
