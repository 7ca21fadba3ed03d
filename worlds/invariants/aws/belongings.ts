import type { NodeClaim } from '@karpenter-ts/apis';
import { type Clock, HOUR, type Instant, MINUTE } from '@karpenter-ts/runtime';
import type { AwsCloud } from '../../cloud/aws-cloud.ts';
import type { AwsCall } from '../../faults/aws-connection.ts';
import type { Violation } from '../violation.ts';

/**
 * A template goes a minute after its last use, by a sweep every minute; one that no operator knows of is looked for once an
 * hour. A sweep may find AWS against it, or nobody there.
 */
const TEMPLATE_LIFETIME = 1 * HOUR + 15 * MINUTE;
/** A profile is kept for an hour after its last use, and then looked for every half hour. */
const PROFILE_LIFETIME = 1 * HOUR + 30 * MINUTE + 15 * MINUTE;

/** What operators create in AWS beside instances, and must delete in the end: launch templates and instance profiles. */
export class Belongings {
  readonly #aws: AwsCloud;
  readonly #clock: Clock;
  readonly #usedAt = new Map<string, Instant>(); // templates, by name

  constructor(aws: AwsCloud, clock: Clock) {
    this.#aws = aws;
    this.#clock = clock;
  }

  asking({ operation, parameters }: AwsCall): void {
    if (operation !== 'CreateFleet') return;
    for (const [key, name] of parameters) {
      if (key.endsWith('.LaunchTemplateName')) this.#usedAt.set(name, this.#clock.now());
    }
  }

  /** Whether anything is there that will have to go. */
  get areLeft(): boolean {
    return this.#aws.emulator.ec2.launchTemplates().length > 0;
  }

  /** What is there for longer than it may. `inUse` are the names of profiles that a NodeClass or a NodeClaim names. */
  find(inUse: ReadonlySet<string>): readonly Violation[] {
    const now = this.#clock.now();
    const { ec2, iam } = this.#aws.emulator;
    const templates = ec2
      .launchTemplates()
      .filter(({ name, createdAt }) => now - Math.max(createdAt, this.#usedAt.get(name) ?? 0) > TEMPLATE_LIFETIME);
    for (const name of inUse) this.#usedAt.set(name, now);
    const profiles = iam
      .instanceProfiles()
      .filter(
        ({ name, createdAt }) => now - Math.max(createdAt.getTime(), this.#usedAt.get(name) ?? 0) > PROFILE_LIFETIME,
      );
    return [
      ...templates.map(({ name }): Violation => ({ invariant: 'template', detail: `${name} is left` })),
      ...profiles.map(({ name }): Violation => ({ invariant: 'profile', detail: `${name} is left` })),
    ];
  }

  /** What is left after the NodeClass has been deleted. */
  findAny(): readonly Violation[] {
    const { ec2, iam } = this.#aws.emulator;
    return [
      ...ec2
        .launchTemplates()
        .map(({ name }): Violation => ({ invariant: 'template', detail: `${name} outlives its NodeClass` })),
      ...iam
        .instanceProfiles()
        .map(({ name }): Violation => ({ invariant: 'profile', detail: `${name} outlives its NodeClass` })),
    ];
  }
}

const PROFILE_ANNOTATION = 'karpenter.k8s.aws/instance-profile-name';

/** The profile that a NodeClaim says it was launched with. */
export function profileOf({ metadata }: NodeClaim): string | undefined {
  return metadata.annotations?.[PROFILE_ANNOTATION];
}
