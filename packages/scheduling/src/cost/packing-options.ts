import type { PackingOptions, PackingTerms } from '../snapshot.ts';
import {
  type Extensions,
  isExtensionOn,
  type NodePool,
  type PackingPolicy,
  readPackingAnnotations,
} from '@karpenter-ts/apis';

/** Settings as flags have them. */
export interface PackingSettings {
  readonly extensions: Extensions;
  readonly packingPolicy: PackingPolicy;
  readonly packingMinGain: number;
  readonly packingMaxExtraNodes: number;
  readonly nodeFee: number;
}

/** What the settings ask for. An extension that is off is as good as not configured, annotations included. */
export function packingOptions(settings: PackingSettings): PackingOptions {
  const { extensions, packingPolicy, packingMinGain, packingMaxExtraNodes, nodeFee } = settings;
  const isOn = (id: string): boolean => isExtensionOn(extensions, id);
  return {
    policy: isOn('A1') ? packingPolicy : 'Upstream',
    nodeFeePerHour: isOn('A4') ? nodeFee : 0,
    minGain: packingMinGain,
    maxExtraNodes: packingMaxExtraNodes,
    policyByPool: isOn('A1'),
    feeByPool: isOn('A4'),
  };
}

/** What holds for a pool: what its annotations say, else what the options say. */
export function packingTerms(nodePool: NodePool, options: PackingOptions): PackingTerms {
  const { policy, nodeFeePerHour } = readPackingAnnotations(nodePool);
  return {
    policy: (options.policyByPool ? policy : undefined) ?? options.policy,
    nodeFeePerHour: (options.feeByPool ? nodeFeePerHour : undefined) ?? options.nodeFeePerHour,
  };
}
