// For those who test or measure launches: the real parts, beside an EC2 under their control.
export { FakeFleets, firstOverride, fleetError } from './fake-fleets.ts';
export { launchEnvironment, type LaunchParts } from './launch-environment.ts';
// For those who put the provider through the conformance kit on another AWS.
export { amiOf, type ConformanceCloud, conformanceSubject, REGION } from './conformance-subject.ts';
export { ProviderEnvironment } from './provider-environment.ts';
export { trackedConnection } from './tracked-connection.ts';
