import { dns1123SubdomainProblems, timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '../clock.ts';

/** Whom an event is about. Without the `uid`, `kubectl describe` does not show it. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** Something to tell users about an object. */
export interface EventDraft {
  readonly on: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** One word in upper camel case. Like the message, it is interface: people alert on it. */
  readonly reason: string;
  readonly message: string;
  /**
   * Within `dedupeTimeout`, events of the same reason, object and values are dropped. Include the message to publish
   * its changes. Without values every event is published.
   */
  readonly dedupe?: readonly string[];
  /** Milliseconds; two minutes if not given. */
  readonly dedupeTimeout?: number;
  /** Shared by all drafts that hold this very object. What exceeds it is dropped. */
  readonly limit?: EventLimit;
}

/** How many events of a class may go: `perSecond` over time, `burst` at once. */
export interface EventLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A core/v1 Event as the API has it. */
export interface CoreEvent {
  readonly apiVersion: 'v1';
  readonly kind: 'Event';
  readonly metadata: { readonly name: string; readonly namespace: string };
  readonly involvedObject: EventSubject;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly source: { readonly component: string };
  readonly reportingComponent: string;
  readonly reportingInstance: string;
  readonly firstTimestamp: string;
  readonly lastTimestamp: string;
  readonly count: number;
}

/** Who publishes, when, and a number of nanoseconds that makes the name unique. */
export interface EventOrigin {
  readonly component: string;
  readonly now: Instant;
  readonly nanos: bigint;
}

/** The Event of a draft. Those about cluster-scoped objects live in `default`. */
export function coreEvent(
  { on, type, reason, message }: EventDraft,
  { component, now, nanos }: EventOrigin,
): CoreEvent {
  const at = timestamp(now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: eventName(on.name, nanos), namespace: on.namespace || 'default' },
    involvedObject: on,
    type,
    reason,
    message,
    source: { component },
    reportingComponent: component,
    reportingInstance: '',
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  };
}

/** `<object>.<nanoseconds in hex>`; a UUID where the object's name may not be part of one of the API. */
export function eventName(subject: string, nanos: bigint): string {
  const name = `${subject}.${nanos.toString(16)}`;
  return dns1123SubdomainProblems(name).length === 0 ? name : crypto.randomUUID();
}
