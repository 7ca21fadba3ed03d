import {
  type Extensions,
  isExtensionOn,
  type NodePool,
  type PackingPolicy,
  readPackingAnnotations,
} from '@karpenter-ts/apis';

/** Whether and how far to leave upstream's plan for a cheaper one (spec 09 A1, A4). */
export interface PackingOptions extends PackingTerms {
  /** The least part of upstream's cost that another plan must save. */
  readonly minGain: number;
  /** How many nodes more than upstream's another plan may have, as a part of these; Infinity for any number. */
  readonly maxExtraNodes: number;
  /** Whether NodePools may say otherwise by annotation. */
  readonly policyByPool: boolean;
  readonly feeByPool: boolean;
}

/** What may differ from pool to pool. */
export interface PackingTerms {
  readonly policy: PackingPolicy;
  /** What a node costs beside its price. */
  readonly nodeFeePerHour: number;
}

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
