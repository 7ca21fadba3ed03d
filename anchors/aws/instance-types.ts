// Labels, capacity, overhead and allocatable of one type under one NodeClass.
import type { RequirementSpec } from '@karpenter-ts/apis';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import { parseQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import { describeType, readTypeSettings } from '@karpenter-ts/provider-aws/parts';
import { allocatableResources } from '@karpenter-ts/scheduling';
import type { Comparer } from './comparison.ts';

type NodeClass = Parameters<typeof readTypeSettings>[0];

interface Input {
  readonly instanceType: string;
  readonly amiFamily: string;
  readonly kubelet?: object | null;
  readonly blockDeviceMappings?: readonly object[] | null;
  readonly instanceStorePolicy?: string | null;
  readonly networkInterfaces?: readonly object[] | null;
  readonly vmMemoryOverheadPercent: number;
  readonly reservedENIs: number;
  readonly offeringZones?: readonly string[] | null;
  readonly subnetZones?: readonly { readonly Zone: string; readonly ZoneID: string }[] | null;
  readonly capacityReservations?: readonly object[] | null;
}

const REGION = 'us-west-2';

export const comparer: Comparer = {
  lines: 667,

  answer(input) {
    const line = input as Input;
    const settings = readTypeSettings(nodeClassOf(line), {
      region: REGION,
      vmMemoryOverheadPercent: line.vmMemoryOverheadPercent,
      reservedEnis: line.reservedENIs,
    });
    const info = instanceTypeFacts()[line.instanceType];
    if (info === undefined) throw new Error(`the facts have no type ${line.instanceType}`);
    const description = describeType({ info, zones: new Set(line.offeringZones ?? []) }, settings);
    const { requirements, capacity, overhead } = description;
    return {
      requirements: Object.fromEntries(requirements.map((one) => [one.key, valuesOf(one)])),
      capacity,
      ...overhead,
      allocatable: allocatableResources({ ...description, offerings: [] }),
    };
  },

  normalize(value) {
    const { kubeReserved, systemReserved, evictionThreshold, ...rest } = value as Readonly<
      Record<string, ResourceList>
    >;
    return {
      ...rest,
      kubeReserved: exact(kubeReserved),
      systemReserved: exact(systemReserved),
      evictionThreshold: exact(evictionThreshold),
    };
  },
};

function nodeClassOf(input: Input): NodeClass {
  const { amiFamily, kubelet, blockDeviceMappings, instanceStorePolicy, networkInterfaces } = input;
  return withoutNulls({
    spec: { amiFamily, kubelet, blockDeviceMappings, instanceStorePolicy, networkInterfaces },
    status: {
      subnets: (input.subnetZones ?? []).map(({ Zone, ZoneID }) => ({
        id: `subnet-${Zone}`,
        zone: Zone,
        zoneID: ZoneID,
      })),
      capacityReservations: input.capacityReservations,
    },
  }) as NodeClass;
}

/** A key whose value is null is unset. */
function withoutNulls(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_key, member: unknown) => member ?? undefined);
}

function valuesOf({ operator, values = [] }: RequirementSpec): unknown {
  if (operator === 'DoesNotExist') return null;
  return operator === 'In' ? [...values].sort() : { op: operator, values };
}

/** Nobody sees how these amounts are written. */
function exact(list: ResourceList | undefined): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(list ?? {}).map(([name, quantity]) => [name, String(parseQuantity(quantity).nanos)]),
  );
}
