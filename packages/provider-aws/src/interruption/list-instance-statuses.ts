import type { Filter, InstanceStatus } from '@aws-sdk/client-ec2';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { withContext } from '../api/with-context.ts';

const EVENT_CODES = ['instance-reboot', 'system-reboot', 'system-maintenance', 'instance-retirement', 'instance-stop'];

/** EC2 wants all filters of a call to match, so each reason takes a call. */
const SEARCHES: readonly Filter[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  { Name: 'event.code', Values: EVENT_CODES },
];

const PAGE_SIZE = 1000;

/** The status of each instance, of whatever cluster, that fails a check or has an event ahead. */
export async function listInstanceStatuses(
  { describeInstanceStatus }: Pick<Ec2Api, 'describeInstanceStatus'>,
  signal: AbortSignal,
): Promise<readonly InstanceStatus[]> {
  const found = new Map<string | undefined, InstanceStatus>();
  try {
    for (const filter of SEARCHES) {
      for await (const page of pages(describeInstanceStatus, { Filters: [filter], MaxResults: PAGE_SIZE }, signal)) {
        for (const status of page.InstanceStatuses ?? []) {
          if (!found.has(status.InstanceId)) found.set(status.InstanceId, status);
        }
      }
    }
  } catch (cause) {
    throw withContext('failed describing ec2 instance status checks', cause);
  }
  return [...found.values()];
}
