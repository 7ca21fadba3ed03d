// Parts of the provider by themselves, for those who measure them or lay them beside upstream's: anchors and benches.
import type { AwsClients, AwsClientSettings } from './clients/create-aws-apis.ts';

export { Amis } from './images/amis.ts';
export { lifetimeOf, type ParameterSource, type SsmParameter } from './images/ssm-parameters.ts';
export {
  AwsError,
  isAwsAlreadyExists,
  isAwsNotFound,
  isDryRunSuccess,
  isInstanceProfileNotFound,
  isLaunchTemplateNotFound,
  isRateLimited,
  isUnauthorizedOperation,
  isUserDataTooLarge,
} from './api/aws-error.ts';
export { classifyFailure } from './launch/failure-reasons.ts';
export { describeType, type TypeDescription, type TypeFacts } from './instance-types/describe-type.ts';
export { readTypeSettings, type TypeOptions, type TypeSettings } from './instance-types/type-settings.ts';
export { renderUserData } from './user-data/user-data.ts';
export { userDataInput, type UserDataRequest } from './user-data/user-data-input.ts';
export { NodeClaimsByInstance } from './instances/node-claims-by-instance.ts';
export { parseMessage } from './interruption/parse-message.ts';
export { processMessage, type ProcessDeps } from './interruption/process-message.ts';
export { UnavailableOfferings } from './offerings/unavailable-offerings.ts';
export { ReservationCounts } from './reservations/reservation-counts.ts';
export { createInstanceTypes } from './offerings/create-instance-types.ts';
export { NO_OVERLAY_PRICES } from './offerings/overlay-prices.ts';
export { DiscoveredMemory } from './instance-types/discovered-memory.ts';
export { DiscoveredTypes } from './instance-types/discovered-types.ts';
export { Prices } from './pricing/prices.ts';
export { NO_ZONAL_SHIFTS } from './zonal-shift/zonal-shifts.ts';

/** Clients of AWS' services. Loads AWS' SDK, which nothing else here does. */
export async function createAwsApis(settings: AwsClientSettings): Promise<AwsClients> {
  return (await import('./clients/create-aws-apis.ts')).createAwsApis(settings);
}
