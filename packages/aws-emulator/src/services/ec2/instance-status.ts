import type {
  DescribeInstanceStatusRequest,
  DescribeInstanceStatusResult,
  InstanceStatusSummary,
} from '@aws-sdk/client-ec2';
import { MINUTE } from '../../clock.ts';
import { getInstances } from './describe-instances.ts';
import type { Attributes } from './filters.ts';
import { type Ec2Instance, stateOf, type StatusCheck } from './instance.ts';
import { listPage, refusePagingThroughIds } from './listing.ts';
import type { Ec2Region } from './region.ts';

/** How long the checks of a new instance have no result. */
const INITIALIZING = 2 * MINUTE;

type Status = 'ok' | 'impaired' | 'initializing' | 'not-applicable';

/** Running instances only, unless all are asked for. */
export function describeInstanceStatus(
  region: Ec2Region,
  input: DescribeInstanceStatusRequest,
): DescribeInstanceStatusResult {
  const { InstanceIds: ids = [], IncludeAllInstances = false } = input;
  refusePagingThroughIds(ids, input, 'instancesSet');
  const asked = ids.length > 0 ? getInstances(region, ids) : [...region.instances.visible()];
  const listing = {
    attributes: attributesAt(region.now()),
    orderOf: ({ serial }: Ec2Instance) => serial,
    pageSize: { least: 5, most: 1000 },
  };
  const found = asked.filter(({ state }) => IncludeAllInstances || state === 'running');
  const { items, ...next } = listPage<Ec2Instance>(listing, found, input);
  return {
    InstanceStatuses: items.map((instance) => ({
      InstanceId: instance.id,
      AvailabilityZone: instance.zone.name,
      AvailabilityZoneId: instance.zone.id,
      InstanceState: stateOf(instance.state),
      InstanceStatus: summary(instance, 'instance', region.now()),
      SystemStatus: summary(instance, 'system', region.now()),
      Events: instance.events.map(({ id, code, description, notBefore, notAfter }) => ({
        InstanceEventId: id,
        Code: code,
        Description: description,
        NotBefore: new Date(notBefore),
        NotAfter: new Date(notAfter),
      })),
    })),
    ...next,
  };
}

function attributesAt(now: number): Attributes<Ec2Instance> {
  return {
    'availability-zone': ({ zone }) => zone.name,
    'event.code': ({ events }) => events.map(({ code }) => code),
    'event.description': ({ events }) => events.map(({ description }) => description),
    'event.instance-event-id': ({ events }) => events.map(({ id }) => id),
    'instance-state-code': ({ state }) => stateOf(state).Code,
    'instance-state-name': ({ state }) => state,
    'instance-status.reachability': (one) => REACHABILITY[statusOf(one, 'instance', now)],
    'instance-status.status': (one) => statusOf(one, 'instance', now),
    'system-status.reachability': (one) => REACHABILITY[statusOf(one, 'system', now)],
    'system-status.status': (one) => statusOf(one, 'system', now),
  };
}

const REACHABILITY = {
  ok: 'passed',
  impaired: 'failed',
  initializing: 'initializing',
  'not-applicable': undefined,
} as const satisfies Record<Status, string | undefined>;

function statusOf({ impairedSince, launchedAt, state }: Ec2Instance, check: StatusCheck, now: number): Status {
  if (state !== 'running') return 'not-applicable';
  if (impairedSince.has(check)) return 'impaired';
  return now - launchedAt < INITIALIZING ? 'initializing' : 'ok';
}

function summary(instance: Ec2Instance, check: StatusCheck, now: number): InstanceStatusSummary {
  const status = statusOf(instance, check, now);
  const reachability = REACHABILITY[status];
  if (reachability === undefined) return { Status: status };
  const since = instance.impairedSince.get(check);
  const detail = {
    Name: 'reachability' as const,
    Status: reachability,
    ...(since !== undefined && { ImpairedSince: new Date(since) }),
  };
  return { Status: status, Details: [detail] };
}
