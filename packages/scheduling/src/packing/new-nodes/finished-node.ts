import { CAPACITY_TYPE_LABEL, toRequirement } from '@karpenter-ts/apis';
import { addAmounts, type Amounts, type Quantity } from '@karpenter-ts/kubernetes';
import type { PlacedPod, PlannedNode, ValueShortage } from '../../plan.ts';
import { findShortages } from '../../model/instance-types/min-values.ts';
import type { TypeLists } from '../../model/instance-types/type-list.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import type { RequirementSet, RequirementSets } from '../../model/requirements/requirement-set.ts';
import type { ResourceTable } from '../../model/resources/resource-table.ts';
import type { PlanningOptions } from '../../snapshot.ts';
import type { InFlightNode, Placed } from './in-flight-node.ts';
import { leastOverhead } from './overhead-group.ts';

export interface OutcomeTables {
  readonly sets: RequirementSets;
  readonly resources: ResourceTable;
  readonly typeLists: TypeLists;
  readonly options: PlanningOptions;
}

/** The finished node, or the labels for which its list of types had to be cut too short (spec 02 §22). */
export function finishNode(
  node: InFlightNode,
  tables: OutcomeTables,
): PlannedNode | { readonly shortOf: readonly ValueShortage[] } {
  const { market, nodePool, overheadGroups } = node.template;
  const { sets, options, typeLists } = tables;
  const set = withReservations(node, tables);
  const { names, lastResorts, variants, pricePerHour, capacityTypes } = typeLists.of(
    node.variants,
    market.priceOrder(set),
    market.catalogue,
    set,
  );
  if (set.hasMinValues && options.minValuesPolicy === 'Strict') {
    const listed = new BitSet();
    for (const variant of variants) listed.add(variant);
    const shortOf = findShortages(set, sets, market.catalogue, listed);
    if (shortOf.length > 0) return { shortOf };
  }
  return {
    placeholder: node.placeholder,
    nodePool,
    pods: node.pods.map(toPlacedPod),
    instanceTypes: names,
    lastResorts,
    capacityTypes,
    requirements: sets.toRequirements(set),
    requests: addAmounts(podAmounts(node, tables.resources), leastOverhead(overheadGroups, node.variants)),
    pricePerHour,
    reservations: [...node.held].sort(),
    minValuesRelaxed: node.minValuesRelaxed,
    source: 'upstream',
  };
}

export function toPlacedPod({ queued, stage }: Placed): PlacedPod {
  return { pod: queued.pod, relaxations: stage.relaxations };
}

/** A node that holds reservations is bought from one of them and no other way. */
function withReservations({ set, held }: InFlightNode, { sets, options }: OutcomeTables): RequirementSet {
  if (held.size === 0) return set;
  const reserved = inValues(CAPACITY_TYPE_LABEL, ['reserved'], options);
  const replaced = sets.withReplaced(set, sets.table.intern(reserved));
  if (options.reservationIdLabel === undefined) return replaced;
  return sets.with(replaced, sets.table.intern(inValues(options.reservationIdLabel, [...held], options)));
}

function inValues(key: string, values: readonly string[], { profile }: PlanningOptions) {
  return toRequirement({ key, operator: 'In', values }, profile);
}

/** The sum over its pods, each resource written as the first pod that asks for some of it has it. */
function podAmounts({ pods, requests }: InFlightNode, resources: ResourceTable): Amounts {
  const formats = new Map<string, Quantity>();
  let previous: Amounts | undefined;
  for (const { queued } of pods) {
    const amounts = queued.podClass.shape.requests;
    if (amounts === previous) continue;
    previous = amounts;
    for (const [name, quantity] of amounts) {
      if ((formats.get(name)?.nanos ?? 0n) === 0n) formats.set(name, quantity);
    }
  }
  const sum = new Map<string, Quantity>();
  for (const [name, { format }] of formats) sum.set(name, { nanos: resources.nanosOf(name, requests), format });
  return sum;
}
