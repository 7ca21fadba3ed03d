import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  KWOK_LABELS,
  OS_LABEL,
  type RequirementSpec,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { canonicalQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering, Overhead } from '@karpenter-ts/scheduling';

/** What a catalogue says about a type; everything else follows from it. */
export interface TypeDescription {
  readonly name: string;
  readonly architecture: string;
  readonly operatingSystems: readonly string[];
  /** At least cpu and memory; 110 pods unless it says otherwise. */
  readonly resources: ResourceList;
  readonly offerings: readonly Offering[];
  /** Launched only where no other type would do; see `InstanceType.lastResort`. */
  readonly lastResort?: boolean | undefined;
}

const OVERHEAD: Overhead = { kubeReserved: { cpu: '100m', memory: '10Mi' } };
const DEFAULT_PODS = '110';

/** `m5.xlarge`: family and size of EC2's types. */
const EC2_NAME = /^\w+\.(nano|micro|small|medium|large|\d*xlarge|metal)$/;

/** The type as planning sees it, with upstream's labels (spec 03 §17.2). */
export function toInstanceType(description: TypeDescription): InstanceType {
  const { name, architecture, operatingSystems, resources, offerings, lastResort } = description;
  const cpu = canonicalQuantity(resources['cpu'] ?? '');
  return {
    name,
    requirements: [
      isOneOf(INSTANCE_TYPE_LABEL, name),
      isOneOf(ARCH_LABEL, architecture),
      isOneOf(OS_LABEL, ...operatingSystems),
      isOneOf(ZONE_LABEL, ...valuesOf(ZONE_LABEL, offerings)),
      isOneOf(CAPACITY_TYPE_LABEL, ...valuesOf(CAPACITY_TYPE_LABEL, offerings)),
      isOneOf(KWOK_LABELS.instanceSize, EC2_NAME.exec(name)?.[1] ?? cpu),
      isOneOf(KWOK_LABELS.instanceFamily, familyOf(name)),
      isOneOf(KWOK_LABELS.instanceCpu, cpu),
      isOneOf(KWOK_LABELS.instanceMemory, canonicalQuantity(resources['memory'] ?? '')),
    ],
    offerings,
    capacity: { pods: DEFAULT_PODS, ...resources },
    overhead: OVERHEAD,
    ...(lastResort && { lastResort }),
  };
}

/** The requirement that a label has one of these values. */
export function isOneOf(key: string, ...values: readonly string[]): RequirementSpec {
  return { key, operator: 'In', values };
}

/** What clouds put before the first `.` or `-` of a name; one without either has its first letter. */
function familyOf(name: string): string {
  const end = name.search(/[.-]/);
  return end < 0 ? name.slice(0, 1) : name.slice(0, end);
}

function valuesOf(key: string, offerings: readonly Offering[]): readonly string[] {
  const values = offerings.flatMap(({ requirements }) => requirements.find((one) => one.key === key)?.values ?? []);
  return [...new Set(values)];
}
