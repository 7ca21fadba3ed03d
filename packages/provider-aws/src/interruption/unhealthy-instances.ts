import type { InstanceStatus, InstanceStatusDetails, InstanceStatusEvent } from '@aws-sdk/client-ec2';
import { type Instant, SECOND } from '@karpenter-ts/runtime';

/** Which of EC2's checks an instance fails; a label of metrics. Those of attached volumes tell nothing of the Node. */
export type HealthCategory = 'InstanceStatus' | 'SystemStatus' | 'EventStatus';

export interface UnhealthyInstance {
  readonly id: string;
  /** The gravest first. */
  readonly categories: readonly HealthCategory[];
}

/** A check may fail for a moment, while a kernel boots. */
const LEAST_DURATION = 120 * SECOND;

/** Events that are over stay in the answer for days, with this in front of their description. */
const OVER = /^\[(?:Completed|Canceled)\]/;

/** The instances that have failed a check for a while, or whose host EC2 is about to touch (spec 07 §26). */
export function unhealthyInstances(statuses: readonly InstanceStatus[], now: Instant): readonly UnhealthyInstance[] {
  return statuses
    .map((status) => ({ id: status.InstanceId ?? '', categories: categoriesOf(status, now) }))
    .filter(({ id, categories }) => id !== '' && categories.length > 0);
}

function categoriesOf(status: InstanceStatus, now: Instant): readonly HealthCategory[] {
  const { InstanceStatus: instance, SystemStatus: system, Events: events = [] } = status;
  return [
    ...(hasFailed(instance?.Details, now) ? ['InstanceStatus' as const] : []),
    ...(hasFailed(system?.Details, now) ? ['SystemStatus' as const] : []),
    ...(events.some(isAhead) ? ['EventStatus' as const] : []),
  ];
}

/** A failure without a time is an old one. */
function hasFailed(details: readonly InstanceStatusDetails[] | undefined, now: Instant): boolean {
  return (details ?? []).some(
    ({ Status, ImpairedSince }) => Status === 'failed' && now - (ImpairedSince?.getTime() ?? 0) >= LEAST_DURATION,
  );
}

/** An event counts at once, however far ahead it is: its host is not to be trusted. */
function isAhead({ Description }: InstanceStatusEvent): boolean {
  return !OVER.test(Description ?? '');
}
