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
import type { Mistake } from './json-document.ts';

/** A list of quantities and where it stands. `signed`: an API server takes less than nothing here. */
export type QuantitiesAt = readonly [path: FieldPath, list: ResourceList | undefined, signed?: 'signed'];

/** Quantities the schema lets through because it knows their form only: `1e999999`, and `-1`, which would make room for others. */
export function findBadQuantities(content: FleetContent): readonly Mistake[] {
  return badQuantities(quantitiesOf(content));
}

/** Those of the quantities that no API server, or no plan, can take. */
export function badQuantities(lists: readonly QuantitiesAt[]): readonly Mistake[] {
  return lists.flatMap(([path, list, signed]) => badIn(path, list ?? {}, signed !== undefined));
}

function quantitiesOf(content: FleetContent): readonly QuantitiesAt[] {
  const { catalogue, nodePools, pods, daemonPods = [], existing = [] } = content;
  return [
    ...catalogue.flatMap(({ capacity, overhead }, i): QuantitiesAt[] => [
      [['catalogue', i, 'capacity'], capacity],
      [['catalogue', i, 'overhead'], overhead],
    ]),
    ...nodePools.map(({ spec }, i): QuantitiesAt => [['nodePools', i, 'spec', 'limits'], spec.limits, 'signed']),
    ...pods.flatMap((pod, i) => podQuantities(pod, ['pods', i, 'spec'])),
    ...daemonPods.flatMap((pod, i) => podQuantities(pod, ['daemonPods', i, 'spec'])),
    ...existing.flatMap(({ capacity, allocatable, pods: bound = [] }, i): readonly QuantitiesAt[] => [
      [['existing', i, 'capacity'], capacity],
      [['existing', i, 'allocatable'], allocatable],
      ...bound.flatMap((pod, j) => podQuantities(pod, ['existing', i, 'pods', j, 'spec'])),
    ]),
  ];
}

/** The quantities of a pod whose spec is at the path. */
export function podQuantities({ spec }: Pod, path: FieldPath): readonly QuantitiesAt[] {
  const { containers = [], initContainers = [], overhead, resources } = spec;
  const ofContainers = (field: string, list: readonly Container[]) =>
    list.flatMap(({ resources: own }, i): QuantitiesAt[] => [
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

function badIn(path: FieldPath, list: ResourceList, mayBeNegative: boolean): readonly Mistake[] {
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
