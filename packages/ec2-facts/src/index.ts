// What is known of EC2 without asking it. The whole public surface.
export {
  bandwidthFacts,
  instanceTypeFacts,
  type NetworkLimits,
  networkLimitFacts,
  offeringFacts,
  onDemandPriceFacts,
} from './facts.ts';
