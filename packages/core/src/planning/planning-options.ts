import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { OperatorOptions } from '../options/operator-options.ts';
import { DEFAULT_PLANNING, packingOptions, type PlanningOptions } from '@karpenter-ts/scheduling';

/** How this process plans for pods that wait: what its settings and its provider say. */
export function planningOptions(options: OperatorOptions, provider: CloudProvider): PlanningOptions {
  return {
    ...DEFAULT_PLANNING,
    profile: provider.profile,
    preferencePolicy: options.preferencePolicy,
    minValuesPolicy: options.minValuesPolicy,
    reservedCapacity: options.featureGates.ReservedCapacity ? 'Strict' : 'Off',
    reservationIdLabel: provider.reservationIdLabel,
    ignoreDraRequests: options.ignoreDraRequests,
    packing: packingOptions(options),
  };
}
