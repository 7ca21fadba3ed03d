import { AWS_LABELS } from '@karpenter-ts/apis';
import { parseQuantity } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';

/** Devices that a node has for those who ask for them. Interfaces for EFA are none: many plain types have these. */
const ACCELERATORS = [
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'amd.com/gpu',
  'nvidia.com/gpu',
  'habana.ai/gaudi',
];

/**
 * Whether a type is launched only where no other would do (spec 07 §12): metal types, which take long to start, and those
 * with accelerators. The launch filter and the mark `lastResort` that planning reads both ask this.
 */
export function isLastResort({ requirements, capacity }: Pick<InstanceType, 'requirements' | 'capacity'>): boolean {
  const size = requirements.find(({ key }) => key === AWS_LABELS.instanceSize);
  if (size?.operator === 'In' && size.values?.some((value) => value.includes('metal'))) return true;
  return ACCELERATORS.some((name) => capacity[name] !== undefined && parseQuantity(capacity[name]).nanos !== 0n);
}
