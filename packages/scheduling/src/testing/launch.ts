// What a provider would hand over for the nodes of a plan.
import { admits, type Requirements, toRequirements } from '@karpenter-ts/apis';
import { formatQuantity, type Pod, type ResourceList, type Taint } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { findAnyValue } from '../model/requirements/any-value.ts';
import type { InstanceType, Offering, PlanningOptions, Snapshot } from '../snapshot.ts';
import { allocatableOf, capacityOf, type Nanos } from './checker/amounts.ts';
import { fittingOfferings } from './checker/buying.ts';
import { daemonsOnType } from './checker/daemons.ts';
import { buildWorld, type PlannedTarget, type World } from './checker/world.ts';

/** An instance that was launched. */
export interface Launch {
  readonly instanceType: string;
  readonly pricePerHour: number;
  /** Without its hostname, which is up to whoever names it. */
  readonly labels: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
  /** Those that will run there before anyone else. */
  readonly daemons: readonly Pod[];
}

/** By placeholder: of the first type listed that can be had, the cheapest way on which all pods and daemons fit. */
export function launchesOf(snapshot: Snapshot, plan: Plan, options: PlanningOptions): ReadonlyMap<string, Launch> {
  const world = buildWorld(snapshot, plan, options);
  return new Map(world.planned.map((target) => [target.hostname, launch(target, world)]));
}

function launch(target: PlannedTarget, world: World): Launch {
  const [way] = target.types.flatMap((type) =>
    fittingOfferings(target, type, world).map((offering) => ({ type, offering })),
  );
  if (way === undefined) throw new Error(`${target.hostname} cannot be bought`);
  const { type, offering } = way;
  return {
    instanceType: type.name,
    pricePerHour: offering.pricePerHour,
    labels: labelsOf(target, type, offering, world),
    taints: target.taints,
    capacity: toResourceList(capacityOf(type, offering)),
    allocatable: toResourceList(allocatableOf(type, offering)),
    daemons: daemonsOnType(world, target.pool, type),
  };
}

/** What the type and the offering are, where the node leaves that open; what its pool asks for in addition. */
function labelsOf(
  { node }: PlannedTarget,
  type: InstanceType,
  offering: Offering,
  { options }: World,
): Readonly<Record<string, string>> {
  const facts: Requirements = new Map([
    ...toRequirements(type.requirements, options.profile),
    ...toRequirements(offering.requirements, options.profile),
  ]);
  const labels: Record<string, string> = {};
  for (const { key, values } of facts.values()) {
    const asked = node.requirements.get(key);
    const value = [...values].find((one) => asked === undefined || admits(asked, one));
    if (value !== undefined) labels[key] = value;
  }
  for (const requirement of node.requirements.values()) {
    const value = facts.has(requirement.key) ? undefined : findAnyValue(requirement, () => 0.5);
    if (value !== undefined) labels[requirement.key] = value;
  }
  return labels;
}

function toResourceList(amounts: Nanos): ResourceList {
  return Object.fromEntries(
    [...amounts].map(([resource, nanos]) => [resource, formatQuantity({ nanos, format: 'DecimalSI' })]),
  );
}
