import { dns1123SubdomainProblems, timestamp } from '@karpenter-ts/kubernetes';
import type { Instant } from '../clock.ts';

/** The object an event is about. Without the `uid`, `kubectl describe` does not show the event. */
export interface EventSubject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/** An event to publish about an object. */
export interface EventDraft {
  readonly on: EventSubject;
  readonly type: 'Normal' | 'Warning';
  /** One word in upper camel case. People alert on it, and on the message. */
  readonly reason: string;
  readonly message: string;
  /**
   * Within `dedupeTimeout`, events of the same reason, object and values are dropped. Include the message to publish
   * its changes. Without values every event is published.
   */
  readonly dedupe?: readonly string[];
  /** Milliseconds; two minutes by default. */
  readonly dedupeTimeout?: number;
  /** A rate limit shared by all drafts that hold this same object. Events that exceed it are dropped. */
  readonly limit?: EventLimit;
}

/** The rate limit of a class of events: `perSecond` on average, `burst` at once. */
export interface EventLimit {
  readonly perSecond: number;
  readonly burst: number;
}

/** A core/v1 Event. */
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

/** The publishing component, the time, and a number of nanoseconds that makes the name unique. */
export interface EventOrigin {
  readonly component: string;
  readonly now: Instant;
  readonly nanos: bigint;
}

/** Creates the Event for a draft. Events about cluster-scoped objects belong to the namespace `default`. */
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

/** `<object>.<nanoseconds in hex>`; a UUID if the object's name cannot be part of an Event's name. */
export function eventName(subject: string, nanos: bigint): string {
  const name = `${subject}.${nanos.toString(16)}`;
  return dns1123SubdomainProblems(name).length === 0 ? name : crypto.randomUUID();
}
