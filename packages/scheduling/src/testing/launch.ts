// What a provider would hand over for the nodes of a plan.
import { admits, type Requirements, toRequirements } from '@karpenter-ts/apis';
import { formatQuantity, type Pod, type ResourceList, type Taint } from '@karpenter-ts/kubernetes';
import type { Plan } from '../plan.ts';
import { findAnyValue } from '../model/requirements/any-value.ts';
import type { InstanceType, Offering, PlanningOptions, Snapshot } from '../snapshot.ts';
import { allocatableOf, capacityOf, type Nanos } from './checker/amounts.ts';
import { fittingOfferings } from './checker/buying.ts';
import { daemonsOnType } from './checker/daemons.ts';
import { toCheckedPlan, type CheckedPlan, type PlannedTarget } from './checker/checked-plan.ts';

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
  const checked = toCheckedPlan(snapshot, plan, options);
  return new Map(checked.planned.map((target) => [target.hostname, launch(target, checked)]));
}

function launch(target: PlannedTarget, checked: CheckedPlan): Launch {
  const [way] = target.types.flatMap((type) =>
    fittingOfferings(target, type, checked).map((offering) => ({ type, offering })),
  );
  if (way === undefined) throw new Error(`${target.hostname} cannot be bought`);
  const { type, offering } = way;
  return {
    instanceType: type.name,
    pricePerHour: offering.pricePerHour,
    labels: labelsOf(target, type, offering, checked),
    taints: target.taints,
    capacity: toResourceList(capacityOf(type, offering)),
    allocatable: toResourceList(allocatableOf(type, offering)),
    daemons: daemonsOnType(checked, target.pool, type),
  };
}

/** What the type and the offering are, where the node leaves that open; what its pool asks for in addition. */
function labelsOf(
  { node }: PlannedTarget,
  type: InstanceType,
  offering: Offering,
  { options }: CheckedPlan,
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
