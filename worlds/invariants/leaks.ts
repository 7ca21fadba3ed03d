import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import { type Clock, type Instant, MINUTE } from '@karpenter-ts/runtime';
import { FLEET_GRACE, type Fleet } from '../cloud/fleet.ts';
import type { Machines } from '../cluster/snapshot.ts';
import type { Violation } from './violation.ts';

/** The sweep of the KWOK provider takes Nodes of five minutes, every two minutes. */
const KWOK_GRACE = 9 * MINUTE;
/** A sweep may find the operator dead, or the API server. */
const DOWNTIME = 5 * MINUTE;

interface LeakDeps {
  readonly clock: Clock;
  readonly operatorClock: Clock;
  readonly fleet: Fleet | undefined;
}

/**
 * Machines nobody claims. One whose id its claim has carried must be gone before that claim is; one that was bought and
 * never written down has until the provider's own sweep.
 */
export class Leaks {
  readonly #clock: Clock;
  readonly #operatorClock: Clock;
  readonly #fleet: Fleet | undefined;
  readonly #written = new Set<string>(); // ids of machines that a claim has carried
  readonly #unclaimedSince = new Map<string, Instant>();

  constructor({ clock, operatorClock, fleet }: LeakDeps) {
    this.#clock = clock;
    this.#operatorClock = operatorClock;
    this.#fleet = fleet;
  }

  find(machines: Machines): readonly Violation[] {
    for (const { status } of machines.claims) if (status?.providerID) this.#written.add(status.providerID);
    const unclaimed = this.#unclaimed(machines);
    for (const id of this.#unclaimedSince.keys()) if (!unclaimed.includes(id)) this.#unclaimedSince.delete(id);
    return unclaimed.filter((id) => this.#isLeaked(id)).map((id) => ({ invariant: 'leak', detail: `machine ${id}` }));
  }

  #isLeaked(id: string): boolean {
    const since = this.#unclaimedSince.get(id) ?? this.#clock.now();
    this.#unclaimedSince.set(id, since);
    const grace = this.#written.has(id) ? 0 : (this.#fleet ? FLEET_GRACE : KWOK_GRACE) + DOWNTIME;
    // Sweeps go by the age of machines: to an operator whose clock is behind they are younger than they are.
    return Math.min(this.#clock.now(), this.#operatorClock.now()) - since >= grace;
  }

  #unclaimed({ nodes, claims }: Machines): readonly string[] {
    if (this.#fleet !== undefined) {
      const owners = new Set(claims.map(({ metadata }) => metadata.uid));
      return this.#fleet.machines.filter(({ owner }) => !owners.has(owner)).map(({ providerId }) => providerId);
    }
    const names = new Set(claims.map(({ metadata }) => metadata.name));
    return nodes
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter(({ metadata }) => !names.has(metadata.labels?.[HOSTNAME_LABEL] ?? ''))
      .map(({ spec }) => spec?.providerID ?? '');
  }
}
