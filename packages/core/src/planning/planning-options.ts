import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { OperatorOptions } from '../options/operator-options.ts';
import { DEFAULT_PLANNING, packingOptions, type PlanningOptions } from '@karpenter-ts/scheduling';

/** The planning options for pending pods, from the process's settings and the provider. */
export function planningOptions(
  options: OperatorOptions,
  provider: Pick<CloudProvider, 'profile' | 'reservationIdLabel'>,
): PlanningOptions {
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
