import type { EventBridge } from '../../state/event-bridge.ts';
import type { Random } from '../../state/random.ts';
import type { Timers } from '../../state/timers.ts';
import { stateChanged } from './events.ts';
import { type Ec2Instance, type InstanceStateName, isAlive, type MutableInstance } from './instance.ts';
import type { Span, Timing } from './timing.ts';

/** Told of each change of an instance's state, the first to `pending` included. */
export type InstanceListener = (instance: Ec2Instance) => void;

interface InstancesDeps {
  readonly clock: { now(): number };
  readonly timers: Timers;
  readonly random: Random;
  readonly eventBridge: EventBridge;
  readonly listeners: ReadonlySet<InstanceListener>;
  readonly timing: () => Timing;
}

interface Entry {
  readonly instance: MutableInstance;
  /** Gives back what the instance has had. */
  readonly release: () => void;
}

export const BY_USER: NonNullable<Ec2Instance['stateReason']> = {
  code: 'Client.UserInitiatedShutdown',
  message: 'Client.UserInitiatedShutdown: User initiated shutdown',
};

/** The instances of a region from pending to an hour after their end, each on its way through the states. */
export class Instances {
  readonly #deps: InstancesDeps;
  readonly #entries = new Map<string, Entry>();

  constructor(deps: InstancesDeps) {
    this.#deps = deps;
  }

  add(instance: MutableInstance, release: () => void): void {
    this.#entries.set(instance.id, { instance, release });
    this.#tell(instance);
    this.#later(this.#deps.timing().start, () => this.#run(instance));
  }

  /** Undefined for one that is not told of yet, or not any more. */
  find(id: string): MutableInstance | undefined {
    const instance = this.#entries.get(id)?.instance;
    return instance !== undefined && this.#isVisible(instance) ? instance : undefined;
  }

  /** Told of or not. */
  get(id: string): MutableInstance | undefined {
    return this.#entries.get(id)?.instance;
  }

  /** All that are told of. */
  *visible(): Generator<MutableInstance> {
    for (const { instance } of this.#entries.values()) if (this.#isVisible(instance)) yield instance;
  }

  /** All, told of or not. */
  *all(): Generator<MutableInstance> {
    for (const { instance } of this.#entries.values()) yield instance;
  }

  terminate(instance: MutableInstance, reason: NonNullable<Ec2Instance['stateReason']>): void {
    if (!isAlive(instance)) return;
    instance.stateReason = reason;
    this.#enter(instance, 'shutting-down');
    this.#later(this.#deps.timing().shutdown, () => {
      this.#entries.get(instance.id)?.release();
      this.#enter(instance, 'terminated');
      this.#deps.timers.after(this.#deps.timing().remembered, () => this.#entries.delete(instance.id));
    });
  }

  #run(instance: MutableInstance): void {
    if (instance.state === 'pending') this.#enter(instance, 'running');
  }

  #enter(instance: MutableInstance, state: InstanceStateName): void {
    instance.state = state;
    this.#tell(instance);
  }

  #tell(instance: MutableInstance): void {
    this.#deps.eventBridge.publish(instance.place, stateChanged(instance, instance.state));
    for (const listener of this.#deps.listeners) listener(instance);
  }

  #later([least, most]: Span, run: () => void): void {
    this.#deps.timers.after(least + this.#deps.random.next() * (most - least), run);
  }

  #isVisible({ visibleAt }: Ec2Instance): boolean {
    return visibleAt <= this.#deps.clock.now();
  }
}
