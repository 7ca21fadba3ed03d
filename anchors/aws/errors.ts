// Classes of errors of AWS, and launches that meet errors.
import {
  AwsError,
  classifyFailure,
  isAwsAlreadyExists,
  isAwsNotFound,
  isDryRunSuccess,
  isInstanceProfileNotFound,
  isLaunchTemplateNotFound,
  isRateLimited,
  isUnauthorizedOperation,
  isUserDataTooLarge,
} from '@karpenter-ts/provider-aws/parts';
import { type FakeFleets, firstOverride, fleetError } from '@karpenter-ts/provider-aws/testing';
import type { Comparer } from './comparison.ts';
import {
  type LaunchInput,
  launchOutcome,
  type LaunchEnvironment,
  inputEnvironment,
  readLaunch,
} from './launch-comparison.ts';

interface ApiFailure {
  readonly code: string;
  readonly message?: string | null;
}

interface FleetFailure extends ApiFailure {
  readonly instanceType: string;
  readonly zone: string;
  readonly subnetID?: string | null;
  readonly noInstance?: boolean | null;
}

interface FailingLaunch extends LaunchInput {
  readonly createFleetErrors?: readonly ApiFailure[] | null;
  readonly fleetErrors?: readonly FleetFailure[] | null;
}

export const comparer: Comparer = {
  lines: 76,
  answer(input) {
    return 'nodeClaim' in (input as object) ? launch(readLaunch(input)) : classes(input as ApiFailure);
  },
};

function classes({ code, message }: ApiFailure): object {
  const error = new AwsError(code, message ?? '');
  return {
    ...classifyFailure(error.message),
    notFound: isAwsNotFound(error),
    alreadyExists: isAwsAlreadyExists(error),
    dryRun: isDryRunSuccess(error),
    unauthorized: isUnauthorizedOperation(error),
    rateLimited: isRateLimited(error),
    launchTemplateNotFound: isLaunchTemplateNotFound(error),
    instanceProfileNotFound: isInstanceProfileNotFound(error),
    userDataTooLarge: isUserDataTooLarge(error),
  };
}

async function launch(line: FailingLaunch): Promise<object> {
  const environment = await inputEnvironment(line);
  failAsTold(environment.fleets, line);
  return {
    ...(await launchOutcome(environment, line)),
    fleetCalls: environment.fleets.fleets.length,
    reservationAvailable: Object.fromEntries(
      Object.keys(line.reservationAvailable ?? {}).map((id) => [id, environment.reservations.available(id)]),
    ),
    events: environment.published.map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    unavailable: unavailableOfferings(environment, line),
  };
}

function failAsTold(fleets: FakeFleets, { createFleetErrors, fleetErrors }: FailingLaunch): void {
  for (const { code, message } of createFleetErrors ?? []) {
    fleets.fleetFailures.push(new AwsError(code, message ?? '', { service: 'EC2', operation: 'CreateFleet' }));
  }
  const failures = fleetErrors ?? [];
  fleets.choose = (overrides) => {
    const isNamed = (type?: string, zone?: string) =>
      failures.some((failure) => failure.instanceType === type && failure.zone === zone);
    const free = overrides.filter(({ InstanceType, AvailabilityZone }) => !isNamed(InstanceType, AvailabilityZone));
    return {
      instance: failures.some(({ noInstance }) => noInstance === true) ? undefined : firstOverride(free),
      errors: failures.map(({ code, message, instanceType, zone, subnetID }) => {
        const override = { InstanceType: instanceType as 'm5.large', AvailabilityZone: zone };
        return fleetError(code, { ...override, ...(subnetID && { SubnetId: subnetID }) }, message ?? '');
      }),
    };
  };
}

function unavailableOfferings({ unavailable }: LaunchEnvironment, line: FailingLaunch): readonly unknown[] {
  const found: unknown[] = [];
  for (const capacityType of ['on-demand', 'spot']) {
    for (const instanceType of line.instanceTypes) {
      for (const { id, zone } of line.nodeClass.status?.subnets ?? []) {
        if (!unavailable.isUnavailable({ capacityType, instanceType, zone }, [id])) continue;
        found.push({ capacityType, instanceType, zone });
      }
    }
  }
  return found;
}
