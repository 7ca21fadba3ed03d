import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { type Clock, type Instant, MINUTE } from '@karpenter-ts/runtime';
import { FLEET_SWEEP, type Fleet } from '../cloud/fleet.ts';
import type { Instances } from '../cluster/snapshot.ts';
import type { Violation } from './violation.ts';

/** As that of the KWOK provider. */
const KWOK_SWEEP = { age: 5 * MINUTE, period: 2 * MINUTE };
/** A sweep may find the operator dead, or the API server. */
const DOWNTIME = 5 * MINUTE;

interface LeakDeps {
  readonly clock: Clock;
  readonly operatorClock: Clock;
  readonly fleet: Fleet | undefined;
}

/** A instance nobody claims. */
interface Unclaimed {
  readonly since: Instant;
  /** Since when the operator takes it for old enough to be swept. */
  readonly due: Instant | undefined;
}

/**
 * Instances nobody claims. One whose id its claim has carried must be gone before that claim is; one that was bought and
 * never written down has until the provider's own sweep.
 */
export class Leaks {
  readonly #clock: Clock;
  readonly #operatorClock: Clock;
  readonly #fleet: Fleet | undefined;
  readonly #written = new Set<string>(); // ids of instances that a claim has carried
  readonly #unclaimed = new Map<string, Unclaimed>();

  constructor({ clock, operatorClock, fleet }: LeakDeps) {
    this.#clock = clock;
    this.#operatorClock = operatorClock;
    this.#fleet = fleet;
  }

  find(instances: Instances): readonly Violation[] {
    for (const { status } of instances.claims) if (status?.providerID) this.#written.add(status.providerID);
    const unclaimed = this.#listUnclaimed(instances);
    for (const id of this.#unclaimed.keys()) if (!unclaimed.includes(id)) this.#unclaimed.delete(id);
    return unclaimed.filter((id) => this.#isLeaked(id)).map((id) => ({ invariant: 'leak', detail: `instance ${id}` }));
  }

  /** Whether there are any, as of when leaks were last looked for. */
  get hasUnclaimed(): boolean {
    return this.#unclaimed.size > 0;
  }

  #isLeaked(id: string): boolean {
    if (this.#written.has(id)) return true;
    const now = this.#clock.now();
    const sweep = this.#fleet ? FLEET_SWEEP : KWOK_SWEEP;
    const { since, due = now } = this.#unclaimed.get(id) ?? { since: now };
    // To an operator whose clock is behind, instances are younger than they are; once it is right, a sweep has to come.
    const isDue = Math.min(now, this.#operatorClock.now()) - since >= sweep.age;
    this.#unclaimed.set(id, { since, due: isDue ? due : undefined });
    return isDue && now - due >= 2 * sweep.period + DOWNTIME;
  }

  #listUnclaimed({ nodes, claims }: Instances): readonly string[] {
    if (this.#fleet !== undefined) {
      const owners = new Set(claims.map(({ metadata }) => metadata.uid));
      return this.#fleet.instances.filter(({ owner }) => !owners.has(owner)).map(({ providerId }) => providerId);
    }
    const names = new Set(claims.map(({ metadata }) => metadata.name));
    return nodes
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter(({ metadata }) => !names.has(metadata.labels?.[HOSTNAME_LABEL] ?? ''))
      .map(({ spec }) => spec?.providerID ?? '');
  }
}
