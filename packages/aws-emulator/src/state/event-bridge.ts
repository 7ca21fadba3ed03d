import type { Place } from './place.ts';

/** What a service has to tell; the bridge puts the envelope around it. */
export interface AwsEvent {
  readonly source: string;
  readonly detailType: string;
  readonly resources: readonly string[];
  readonly detail: object;
}

/** Takes the text of an event, as a queue does. */
export type EventTarget = (body: string) => void;

/** Which events a rule takes to its target: those of a service with one of these detail types. */
export interface EventRule {
  readonly source: string;
  readonly detailType: string;
}

interface EventBridgeDeps {
  readonly clock: { now(): number };
  readonly random: { uuid(): string };
}

/** Takes events of an account and region to the targets that were set for it. Without a target an event is dropped. */
export class EventBridge {
  readonly #deps: EventBridgeDeps;
  readonly #targets = new Map<string, Set<FilteredTarget>>();

  constructor(deps: EventBridgeDeps) {
    this.#deps = deps;
  }

  /** Sends all further events there, or those that one of the rules is for. Returns how to end that. */
  addTarget(place: Place, target: EventTarget, rules?: readonly EventRule[]): () => void {
    const key = keyOf(place);
    const targets = this.#targets.get(key) ?? new Set();
    const added = { target, rules };
    this.#targets.set(key, targets.add(added));
    return () => targets.delete(added);
  }

  publish(place: Place, { source, detailType, resources, detail }: AwsEvent): void {
    const all = this.#targets.get(keyOf(place)) ?? [];
    const isFor = (rule: EventRule): boolean => rule.source === source && rule.detailType === detailType;
    const targets = [...all].filter(({ rules }) => rules === undefined || rules.some(isFor));
    if (targets.length === 0) return;
    const body = JSON.stringify({
      version: '0',
      id: this.#deps.random.uuid(),
      'detail-type': detailType,
      source,
      account: place.account,
      time: new Date(this.#deps.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z'),
      region: place.region,
      resources,
      detail,
    });
    for (const { target } of targets) target(body);
  }
}

interface FilteredTarget {
  readonly target: EventTarget;
  readonly rules: readonly EventRule[] | undefined;
}

function keyOf({ account, region }: Place): string {
  return `${account}/${region}`;
}
