// The AWS services that the provider uses, in the process. What is not here is private.
export { clientNodes, type NodeClient } from './boot/client-nodes.ts';
export type { BootDeps, BootState, InstanceBoots, NodeApi } from './boot/instance-boots.ts';
export type { JoinFailure } from './boot/user-data/boot-instructions.ts';
export type { ActualCluster } from './boot/user-data/join-check.ts';
export type { EmulatorClock } from './clock.ts';
export { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
export {
  type Denial,
  expiredCredentials,
  type Fault,
  type Faults,
  type FaultScope,
  internalError,
  requestLimitExceeded,
  unauthorized,
  unauthorizedTo,
} from './faults/faults.ts';
export type { Ec2Instance } from './services/ec2/instance.ts';
export type { ClusterNetwork, Ec2Levers } from './services/ec2/levers.ts';
export { type SdkHandler, sdkHandler, type SdkRequest } from './sdk-handler.ts';
export type { PublishedImage } from './services/ssm/node-images.ts';
export type { AwsEvent, EventBridge, EventRule } from './state/event-bridge.ts';
export type { Place } from './state/place.ts';
export { ApiError } from './wire/api-error.ts';
export { ConnectionResetError, type WireRequest, type WireResponse } from './wire/message.ts';
