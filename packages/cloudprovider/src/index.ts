// The contract between Karpenter and a cloud. A fake and the conformance kit are in ./testing.
export type {
  CloudProvider,
  HookResult,
  RegistrationHook,
  RepairPolicy,
  UnsupportedVolumes,
} from './cloud-provider.ts';
export {
  CreateError,
  InsufficientCapacityError,
  NodeClaimNotFoundError,
  NodeClassNotReadyError,
  UnevaluatedNodePoolError,
} from './errors.ts';
export { type MeterDeps, meteredProvider } from './metered-provider.ts';
export { type NodeClass, NodeClassCaches, nodeClassKey, type NodeClassKind } from './node-class.ts';
export type {
  ConfiguredProvider,
  DeleteNodeClaim,
  ProviderCaches,
  ProviderDeps,
  ProviderModule,
  ProviderParts,
  ProviderProcess,
  ProviderSettings,
} from './provider-module.ts';
