// Resource arithmetic, the slow and obvious way: exact nano-units by resource name.
import {
  type Container,
  type ContainerStatus,
  parseQuantity,
  type Pod,
  type ResourceList,
} from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering, Overhead } from '../../snapshot.ts';

export type Nanos = ReadonlyMap<string, bigint>;

/** What is not listed is zero. */
export function nanosOf(list: ResourceList | undefined): Nanos {
  return new Map(Object.entries(list ?? {}).map(([resource, amount]) => [resource, parseQuantity(amount).nanos]));
}

export function sum(...parts: readonly Nanos[]): Nanos {
  const total = new Map<string, bigint>();
  for (const part of parts)
    for (const [resource, amount] of part) total.set(resource, amount + (total.get(resource) ?? 0n));
  return total;
}

export function difference(from: Nanos, less: Nanos): Nanos {
  return new Map([...from].map(([resource, amount]) => [resource, amount - (less.get(resource) ?? 0n)]));
}

export function largest(...parts: readonly Nanos[]): Nanos {
  const most = new Map<string, bigint>();
  for (const part of parts) {
    for (const [resource, amount] of part) {
      const present = most.get(resource);
      if (present === undefined || amount > present) most.set(resource, amount);
    }
  }
  return most;
}

/** A target in the red takes nothing, not even what asks for nothing (spec 02 §11). */
export function fits(requests: Nanos, target: Nanos): boolean {
  if ([...target.values()].some((amount) => amount < 0n)) return false;
  return [...requests].every(([resource, amount]) => amount <= (target.get(resource) ?? 0n));
}

/** What a pod needs of a node (spec 02 §11, steps 1 to 6). */
export function requestsOf(pod: Pod): Nanos {
  const { containers = [], initContainers = [], resources, overhead } = pod.spec;
  const statuses = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])];
  const isInfeasible = (pod.status?.conditions ?? []).some(
    ({ type, reason }) => type === 'PodResizePending' && reason === 'Infeasible',
  );
  const needs = (container: Container): Nanos => containerRequests(container, statuses, isInfeasible);
  const sidecars = initContainers.filter(isSidecar);
  const together = sum(...containers.map(needs), ...sidecars.map(needs));
  const steps = initContainers.map((container, index) => {
    const before = initContainers.slice(0, index).filter(isSidecar);
    return sum(needs(container), ...before.map(needs));
  });
  const podLevel = [...nanosOf(resources?.requests)].filter(
    ([resource]) => resource === 'cpu' || resource === 'memory' || resource.startsWith('hugepages-'),
  );
  const computed = new Map([...largest(together, ...steps), ...podLevel]);
  return inWholeUnits(sum(computed, nanosOf(overhead), new Map([['pods', parseQuantity('1').nanos]])));
}

/** The kube-scheduler counts CPU by the thousandth and the rest by the unit, and a fraction of one as one. */
function inWholeUnits(requests: Nanos): Nanos {
  return new Map(
    [...requests].map(([resource, amount]) => {
      const unit = resource === 'cpu' ? 10n ** 6n : 10n ** 9n;
      return [resource, ((amount + unit - 1n) / unit) * unit];
    }),
  );
}

const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

/** While a container is resized, the largest of what was asked, given and held counts. */
function containerRequests(container: Container, statuses: readonly ContainerStatus[], isInfeasible: boolean): Nanos {
  const asked = nanosOf(container.resources?.requests);
  const status = statuses.find(({ name }) => name === container.name);
  if (status?.resources === undefined) return asked;
  const held = [nanosOf(status.resources.requests), nanosOf(status.allocatedResources)];
  return largest(...held, ...(isInfeasible ? [] : [asked]));
}

/** What is left for pods on an instance type, bought by this offering. */
export function allocatableOf(type: InstanceType, offering: Offering): Nanos {
  const capacity = capacityOf(type, offering);
  const free = new Map(difference(capacity, sum(overheadOf(type.overhead), overheadOf(offering.overheadOverride))));
  for (const [resource, amount] of capacity) {
    if (!resource.startsWith('hugepages-')) continue;
    const memory = (free.get('memory') ?? 0n) - amount;
    free.set('memory', memory > 0n ? memory : 0n);
  }
  return free;
}

/** All an instance type has, bought by this offering. */
export function capacityOf(type: InstanceType, offering: Offering): Nanos {
  return sum(nanosOf(type.capacity), nanosOf(offering.capacityOverride));
}

function overheadOf(overhead: Overhead | undefined): Nanos {
  return sum(nanosOf(overhead?.kubeReserved), nanosOf(overhead?.systemReserved), nanosOf(overhead?.evictionThreshold));
}
