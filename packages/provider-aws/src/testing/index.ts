// For those who test or measure launches: the real parts, beside an EC2 under their control.
export { FakeFleets, firstOverride, fleetError } from './fake-fleets.ts';
export { launchEnvironment, type LaunchParts } from './launch-environment.ts';
