import type { FieldPath } from '@karpenter-ts/apis';
import {
  type Container,
  goQuote,
  parseQuantity,
  type Pod,
  QuantityError,
  type ResourceList,
} from '@karpenter-ts/kubernetes';
import type { FleetContent } from './fleet-snapshot.ts';

/** A quantity that no API server, or no plan, can take. */
export interface BadQuantity {
  readonly path: FieldPath;
  readonly message: string;
}

/** `signed`: an API server takes less than nothing here. */
type ListAt = readonly [path: FieldPath, list: ResourceList | undefined, signed?: 'signed'];

/** Quantities the schema lets through because it knows their form only: `1e999999`, and `-1`, which would make room for others. */
export function findBadQuantities(content: FleetContent): readonly BadQuantity[] {
  const { catalogue, nodePools, pods, daemonPods = [], existing = [] } = content;
  const lists: readonly ListAt[] = [
    ...catalogue.flatMap(({ capacity, overhead }, i): ListAt[] => [
      [['catalogue', i, 'capacity'], capacity],
      [['catalogue', i, 'overhead'], overhead],
    ]),
    ...nodePools.map(({ spec }, i): ListAt => [['nodePools', i, 'spec', 'limits'], spec.limits, 'signed']),
    ...pods.flatMap((pod, i) => listsOf(pod, ['pods', i, 'spec'])),
    ...daemonPods.flatMap((pod, i) => listsOf(pod, ['daemonPods', i, 'spec'])),
    ...existing.flatMap(({ capacity, allocatable, pods: bound = [] }, i): readonly ListAt[] => [
      [['existing', i, 'capacity'], capacity],
      [['existing', i, 'allocatable'], allocatable],
      ...bound.flatMap((pod, j) => listsOf(pod, ['existing', i, 'pods', j, 'spec'])),
    ]),
  ];
  return lists.flatMap(([path, list, signed]) => badIn(path, list ?? {}, signed !== undefined));
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

function badIn(path: FieldPath, list: ResourceList, mayBeNegative: boolean): readonly BadQuantity[] {
  return Object.entries(list).flatMap(([name, quantity]) => {
    const problem = problemOf(quantity, mayBeNegative);
    if (problem === undefined) return [];
    return [{ path: [...path, name], message: `Invalid value: ${goQuote(String(quantity))}: ${problem}` }];
  });
}

function problemOf(quantity: string | number, mayBeNegative: boolean): string | undefined {
  try {
    const { nanos } = parseQuantity(quantity);
    return nanos < 0n && !mayBeNegative ? 'must be greater than or equal to 0' : undefined;
  } catch (error) {
    if (!(error instanceof QuantityError)) throw error;
    return error.message;
  }
}
