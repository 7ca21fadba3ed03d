// The pods of a fleet and the nodes it could buy, as numbers: the input of the lower bounds of cost.
import { findIncompatibilities, toRequirements } from '@karpenter-ts/apis';
import { parseQuantity, type Pod, type ResourceList } from '@karpenter-ts/kubernetes';
import { allocatableResources, compatibleOfferings, type InstanceType } from '@karpenter-ts/scheduling';
import type { Fleet } from '@karpenter-ts/cli/fleet';

export const RESOURCES: readonly string[] = ['cpu', 'memory', 'pods'];
/** The unit of each resource, chosen so that all numbers of the solver have a similar magnitude. */
const UNITS = [1, 2 ** 30, 1];

/** Pods of one size, and how many there are. */
export interface Size {
  readonly requests: readonly number[];
  count: number;
}

export interface NodeOption {
  readonly room: readonly number[];
  readonly pricePerHour: number;
}

/** Of pods that ask for nothing but resources. */
export function sizesOf(pods: readonly Pod[]): readonly Size[] {
  const sizes = new Map<string, Size>();
  for (const pod of pods) {
    const requests = requestsOf(pod);
    const size = sizes.get(requests.join()) ?? { requests, count: 0 };
    size.count++;
    sizes.set(requests.join(), size);
  }
  return [...sizes.values()];
}

function requestsOf({ spec }: Pod): readonly number[] {
  const requests = spec.containers?.[0]?.resources?.requests ?? {};
  return amountsOf({ ...requests, pods: '1' });
}

function amountsOf(list: ResourceList): readonly number[] {
  return RESOURCES.map((name, r) => Number(parseQuantity(list[name] ?? '0').nanos) / 1e9 / UNITS[r]!);
}

/** The node options of the first pool, less the requests of its daemon pods. */
export function nodeOptionsOf({ snapshot, options }: Fleet): readonly NodeOption[] {
  const { nodePool, instanceTypes } = snapshot.pools[0]!;
  const asked = toRequirements(nodePool.spec.template.spec.requirements, options.profile);
  const daemons = snapshot.daemonPods.map(requestsOf);
  const isOpen = (type: InstanceType): boolean =>
    findIncompatibilities(toRequirements(type.requirements, options.profile), asked).length === 0;
  return instanceTypes.filter(isOpen).flatMap((type) => {
    const prices = compatibleOfferings(type, asked, options.profile).map(({ pricePerHour }) => pricePerHour);
    const free = amountsOf(allocatableResources(type));
    const room = free.map((amount, r) => amount - daemons.reduce((sum, one) => sum + one[r]!, 0));
    return prices.length === 0 || room.some((amount) => amount <= 0)
      ? []
      : [{ room, pricePerHour: Math.min(...prices) }];
  });
}
