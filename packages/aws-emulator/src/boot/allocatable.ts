import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  type ResourceList,
  subtractQuantities,
  ZERO_QUANTITY,
} from '@karpenter-ts/kubernetes';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { cpusOf, eniLimitedPods, podsOf } from './capacity.ts';
import type { BootInstructions } from './user-data/boot-instructions.ts';

type Amounts = Readonly<Record<string, string>>;

/** What is left for pods: the capacity less what is reserved and less what must stay free before pods are evicted. */
export function allocatableOf(
  capacity: ResourceList,
  instructions: BootInstructions,
  type: InstanceTypeInfo,
): ResourceList {
  const kubeReserved = withDefaults(instructions, 'kubeReserved', defaultKubeReserved(instructions, type));
  const evictionHard = withDefaults(instructions, 'evictionHard', DEFAULT_EVICTION_HARD);
  const { systemReserved } = instructions.kubelet;
  const allocatable = Object.entries(capacity).map(([resource, amount]) => {
    const total = parseQuantity(amount);
    const reserved = [kubeReserved, systemReserved].map((amounts) => parseQuantity(amounts[resource] ?? '0'));
    const kept = thresholdOf(evictionHard[SIGNALS[resource] ?? ''], total);
    return [resource, formatQuantity(less(total, [...reserved, kept]))];
  });
  return Object.fromEntries(allocatable) as ResourceList;
}

const SIGNALS: Readonly<Record<string, string>> = {
  memory: 'memory.available',
  'ephemeral-storage': 'nodefs.available',
};

const DEFAULT_EVICTION_HARD: Amounts = { 'memory.available': '100Mi', 'nodefs.available': '10%' };

/**
 * The families that pass arguments replace a default map as a whole, those with a configuration replace it key by key.
 */
function withDefaults(
  { family, kubelet }: BootInstructions,
  setting: 'kubeReserved' | 'evictionHard',
  defaults: Amounts,
): Amounts {
  const told = kubelet[setting];
  const takesArguments = family === 'AL2' || family === 'Windows';
  return takesArguments ? (told ?? defaults) : { ...defaults, ...told };
}

/** What bootstrap.sh, nodeadm and Bottlerocket reserve for the system's daemons of Kubernetes. */
function defaultKubeReserved(instructions: BootInstructions, type: InstanceTypeInfo): Amounts {
  const { family } = instructions;
  const pods = family === 'AL2' || family === 'AL2023' ? eniLimitedPods(type) : podsOf(type, instructions);
  return { cpu: `${reservedMillis(cpusOf(type))}m`, memory: `${11 * pods + 255}Mi`, 'ephemeral-storage': '1Gi' };
}

/** 6 % of the first core, 1 % of the second, 0.5 % of the next two, 0.25 % of all others. */
function reservedMillis(cpus: number): number {
  const shares: readonly [from: number, to: number, tenThousandths: number][] = [
    [0, 1000, 600],
    [1000, 2000, 100],
    [2000, 4000, 50],
    [4000, Number.MAX_SAFE_INTEGER, 25],
  ];
  const millis = shares.map(([from, to, share]) =>
    Math.floor((Math.max(0, Math.min(cpus * 1000, to) - from) * share) / 10_000),
  );
  return millis.reduce((sum, each) => sum + each, 0);
}

function thresholdOf(threshold: string | undefined, total: Quantity): Quantity {
  if (threshold === undefined) return ZERO_QUANTITY;
  if (!threshold.endsWith('%')) return parseQuantity(threshold);
  const thousandths = BigInt(Math.round(Number.parseFloat(threshold) * 1000));
  return { ...total, nanos: (total.nanos * thousandths) / 100_000n };
}

/** Not below 0, as the kubelet reports it. */
function less(total: Quantity, parts: readonly Quantity[]): Quantity {
  const rest = subtractQuantities(total, parts.reduce(addQuantities));
  return compareQuantities(rest, ZERO_QUANTITY) < 0 ? { ...rest, nanos: 0n } : rest;
}
