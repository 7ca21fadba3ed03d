import type { FieldPath } from '@karpenter-ts/apis';
import { goQuote, parseQuantity, QuantityError, type ResourceList } from '@karpenter-ts/kubernetes';
import type { Container, Pod } from '../objects/pod.ts';
import type { FleetContent } from './fleet-snapshot.ts';

/** A quantity that has the form of one and is none. */
export interface UnreadableQuantity {
  readonly path: FieldPath;
  readonly message: string;
}

type ListAt = readonly [path: FieldPath, list: ResourceList | undefined];

/** Quantities the schema lets through because it knows their form only: `1e999999`. */
export function findUnreadableQuantities(content: FleetContent): readonly UnreadableQuantity[] {
  const { catalogue, nodePools, pods, daemonPods = [], existing = [] } = content;
  const lists: readonly ListAt[] = [
    ...catalogue.flatMap(({ capacity, overhead }, i): ListAt[] => [
      [['catalogue', i, 'capacity'], capacity],
      [['catalogue', i, 'overhead'], overhead],
    ]),
    ...nodePools.map(({ spec }, i): ListAt => [['nodePools', i, 'spec', 'limits'], spec.limits]),
    ...pods.flatMap((pod, i) => listsOf(pod, ['pods', i, 'spec'])),
    ...daemonPods.flatMap((pod, i) => listsOf(pod, ['daemonPods', i, 'spec'])),
    ...existing.flatMap(({ capacity, allocatable, pods: bound = [] }, i): readonly ListAt[] => [
      [['existing', i, 'capacity'], capacity],
      [['existing', i, 'allocatable'], allocatable],
      ...bound.flatMap((pod, j) => listsOf(pod, ['existing', i, 'pods', j, 'spec'])),
    ]),
  ];
  return lists.flatMap(([path, list]) => unreadableIn(path, list ?? {}));
}

function listsOf({ spec }: Pod, path: FieldPath): readonly ListAt[] {
  const { containers = [], initContainers = [], overhead, resources } = spec;
  const ofContainers = (field: string, list: readonly Container[]) =>
    list.flatMap(({ resources: own }, i): ListAt[] => [
      [[...path, field, i, 'resources', 'requests'], own?.requests],
      [[...path, field, i, 'resources', 'limits'], own?.limits],
    ]);
  return [
    ...ofContainers('containers', containers),
    ...ofContainers('initContainers', initContainers),
    [[...path, 'overhead'], overhead],
    [[...path, 'resources', 'requests'], resources?.requests],
  ];
}

function unreadableIn(path: FieldPath, list: ResourceList): readonly UnreadableQuantity[] {
  return Object.entries(list).flatMap(([name, quantity]) => {
    try {
      parseQuantity(quantity);
      return [];
    } catch (error) {
      if (!(error instanceof QuantityError)) throw error;
      return [{ path: [...path, name], message: `Invalid value: ${goQuote(String(quantity))}: ${error.message}` }];
    }
  });
}
