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

interface EventBridgeDeps {
  readonly clock: { now(): number };
  readonly random: { uuid(): string };
}

/** Takes events of an account and region to the targets that were set for it. Without a target an event is dropped. */
export class EventBridge {
  readonly #deps: EventBridgeDeps;
  readonly #targets = new Map<string, Set<EventTarget>>();

  constructor(deps: EventBridgeDeps) {
    this.#deps = deps;
  }

  /** Sends all further events there. Returns how to end that. */
  addTarget(place: Place, target: EventTarget): () => void {
    const key = keyOf(place);
    const targets = this.#targets.get(key) ?? new Set();
    this.#targets.set(key, targets.add(target));
    return () => targets.delete(target);
  }

  publish(place: Place, { source, detailType, resources, detail }: AwsEvent): void {
    const targets = this.#targets.get(keyOf(place));
    if (targets === undefined || targets.size === 0) return;
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
    for (const target of targets) target(body);
  }
}

function keyOf({ account, region }: Place): string {
  return `${account}/${region}`;
}
