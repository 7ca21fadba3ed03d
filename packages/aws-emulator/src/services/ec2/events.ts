import type { AwsEvent } from '../../state/event-bridge.ts';
import { partitionOf } from '../../state/place.ts';
import type { Ec2Instance, InstanceStateName, ScheduledEvent } from './instance.ts';

/** The events that EC2, or AWS Health on its behalf, sends about an instance. */
export function stateChanged(instance: Ec2Instance, state: InstanceStateName): AwsEvent {
  return ec2Event(instance, 'EC2 Instance State-change Notification', { state });
}

export function rebalanceRecommended(instance: Ec2Instance): AwsEvent {
  return ec2Event(instance, 'EC2 Instance Rebalance Recommendation', {});
}

export function spotInterruptionWarning(instance: Ec2Instance): AwsEvent {
  return ec2Event(instance, 'EC2 Spot Instance Interruption Warning', { 'instance-action': 'terminate' });
}

export function reservationInterruptionWarning(instance: Ec2Instance): AwsEvent {
  return ec2Event(instance, 'EC2 Capacity Reservation Instance Interruption Warning', {
    'instance-action': 'terminate',
  });
}

export function maintenanceScheduled(instance: Ec2Instance, event: ScheduledEvent): AwsEvent {
  const { region } = instance.place;
  const type = `AWS_EC2_${event.code.toUpperCase().replaceAll('-', '_')}_SCHEDULED`;
  return {
    source: 'aws.health',
    detailType: 'AWS Health Event',
    resources: [instance.id],
    detail: {
      eventArn: `arn:${partitionOf(region)}:health:${region}::event/EC2/${type}/${type}_${event.id}`,
      service: 'EC2',
      eventTypeCode: type,
      eventTypeCategory: 'scheduledChange',
      startTime: new Date(event.notBefore).toUTCString(),
      endTime: new Date(event.notAfter).toUTCString(),
      eventDescription: [{ language: 'en_US', latestDescription: event.description }],
      affectedEntities: [{ entityValue: instance.id, tags: Object.fromEntries(instance.tags) }],
    },
  };
}

function ec2Event(instance: Ec2Instance, detailType: string, detail: object): AwsEvent {
  const { account, region } = instance.place;
  return {
    source: 'aws.ec2',
    detailType,
    resources: [`arn:${partitionOf(region)}:ec2:${region}:${account}:instance/${instance.id}`],
    detail: { 'instance-id': instance.id, ...detail },
  };
}
