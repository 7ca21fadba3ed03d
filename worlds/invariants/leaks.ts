import { HOSTNAME_LABEL, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Ec2Instance } from '@karpenter-ts/aws-emulator';
import { type Clock, type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { AwsCloud } from '../cloud/aws-cloud.ts';
import { FLEET_SWEEP, type Fleet } from '../cloud/fleet.ts';
import type { Instances } from '../cluster/snapshot.ts';
import type { Violation } from './violation.ts';

/** As that of the KWOK provider. */
const KWOK_SWEEP = { age: 5 * MINUTE, period: 2 * MINUTE };
/** A sweep may find the operator dead, or the API server. */
const DOWNTIME = 5 * MINUTE;

/** As that of the AWS provider: its controller passes over instances that are younger. */
const AWS_SWEEP = { age: 30 * SECOND, period: 2 * MINUTE };
/** An instance that EC2 has told of for less may not have been found when its NodeClaim went. */
const NEWLY_SHOWN = 90 * SECOND;

interface LeakDeps {
  readonly clock: Clock;
  readonly operatorClock: Clock;
  readonly fleet: Fleet | undefined;
  readonly aws: AwsCloud | undefined;
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
  readonly #aws: AwsCloud | undefined;
  readonly #written = new Set<string>(); // ids of instances that a claim has carried
  readonly #unclaimed = new Map<string, Unclaimed>();

  constructor({ clock, operatorClock, fleet, aws }: LeakDeps) {
    this.#clock = clock;
    this.#operatorClock = operatorClock;
    this.#fleet = fleet;
    this.#aws = aws;
  }

  find(instances: Instances): readonly Violation[] {
    for (const { status } of instances.claims) if (status?.providerID) this.#written.add(status.providerID);
    const unclaimed = this.#listUnclaimed(instances);
    for (const id of this.#unclaimed.keys()) if (!unclaimed.includes(id)) this.#unclaimed.delete(id);
    return unclaimed
      .filter((id) => this.#isLeaked(id, instances))
      .map((id) => ({ invariant: 'leak', detail: `instance ${id}` }));
  }

  /** Whether there are any, as of when leaks were last looked for. */
  get hasUnclaimed(): boolean {
    return this.#unclaimed.size > 0;
  }

  #isLeaked(id: string, instances: Instances): boolean {
    const now = this.#clock.now();
    const { since, due = now } = this.#unclaimed.get(id) ?? { since: now };
    if (this.#written.has(id) && !this.#wasHidden(id, since)) return true;
    const sweep = this.#fleet ? FLEET_SWEEP : this.#aws ? AWS_SWEEP : KWOK_SWEEP;
    if (this.#aws !== undefined && mayBeClaimed(this.#aws, id, instances)) {
      this.#unclaimed.set(id, { since, due: undefined });
      return false;
    }
    // To an operator whose clock is behind, instances are younger than they are; once it is right, a sweep has to come.
    const isDue = Math.min(now, this.#operatorClock.now()) - since >= sweep.age;
    this.#unclaimed.set(id, { since, due: isDue ? due : undefined });
    return isDue && now - due >= 2 * sweep.period + DOWNTIME;
  }

  /** Whether EC2 may have said that there was no such instance when its claim went. */
  #wasHidden(id: string, since: Instant): boolean {
    const instance = this.#aws?.emulator.ec2.findInstance(idOf(id));
    return instance !== undefined && instance.visibleAt > since - NEWLY_SHOWN;
  }

  #listUnclaimed({ nodes, claims }: Instances): readonly string[] {
    if (this.#aws !== undefined) {
      const claimed = new Set(claims.map(({ status }) => status?.providerID));
      return this.#aws.living.map(providerIdOf).filter((id) => !claimed.has(id));
    }
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

function providerIdOf({ id, zone }: Ec2Instance): string {
  return `aws:///${zone.name}/${id}`;
}

function idOf(providerId: string): string {
  return providerId.slice(providerId.lastIndexOf('/') + 1);
}

/** Whether a claim of its pool that names no instance is as old as it: only its status may not have been written. */
function mayBeClaimed({ emulator }: AwsCloud, providerId: string, { claims }: Instances): boolean {
  const instance = emulator.ec2.findInstance(idOf(providerId));
  const pool = instance?.tags.get(NODEPOOL_LABEL);
  return claims.some(
    ({ metadata, status }) =>
      status?.providerID === undefined &&
      metadata.labels?.[NODEPOOL_LABEL] === pool &&
      Date.parse(metadata.creationTimestamp ?? '') <= (instance?.launchedAt ?? 0) + AWS_SWEEP.age,
  );
}
