// The nodes a provider may hand over for a plan: any type and offering that a planned node lists is as good as another.
import { HOSTNAME_LABEL } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { PlannedNode } from '../../plan.ts';
import type { InstanceType, Offering, Pool, Snapshot } from '../../snapshot.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import {
  amountsOf,
  isTolerated,
  matchesExpression,
  matchesNodeRules,
  type SimulatedNode,
} from './scheduler-filters.ts';

/** One way to buy an instance type. */
export interface Purchase {
  readonly type: InstanceType;
  readonly offering: Offering;
}

/** Which of a planned node's purchases the provider makes. */
export type Provider = (purchases: readonly Purchase[]) => Purchase;

/** Providers that differ as much as they can: fleets of one type and of many behave unlike each other. */
export function providersFor(random: Random): readonly Provider[] {
  return [(all) => all[0]!, (all) => all.at(-1)!, (all) => random.pick(all)];
}

/** Throws if the plan lists a type that cannot be bought, or a label that no value can meet. */
export function launch(planned: PlannedNode, snapshot: Snapshot, choose: Provider, random: Random): SimulatedNode {
  const pool = snapshot.pools.find(({ nodePool }) => nodePool.metadata.name === planned.nodePool)!;
  const { type, offering } = choose(purchasesOf(planned, pool));
  const labels = { ...labelsOf(planned, { type, offering }, random), [HOSTNAME_LABEL]: planned.placeholder };
  const taints = pool.nodePool.spec.template.spec.taints ?? [];
  const node = { name: planned.placeholder, labels, taints, allocatable: allocatableOf(type), pods: [] as Pod[] };
  node.pods.push(...snapshot.daemonPods.filter((daemon) => runsOn(daemon, node)));
  return node;
}

/** Whether the DaemonSet controller places its pod there. */
export function runsOn(daemon: Pod, { labels, taints }: Pick<SimulatedNode, 'labels' | 'taints'>): boolean {
  const isBarred = taints.some((taint) => taint.effect !== 'PreferNoSchedule' && !isTolerated(daemon, taint));
  return !isBarred && matchesNodeRules(daemon, labels);
}

/** Cheapest first within each type, types in the plan's order. */
function purchasesOf(planned: PlannedNode, pool: Pool): readonly Purchase[] {
  return planned.instanceTypes.flatMap((name) => {
    const type = pool.instanceTypes.find((one) => one.name === name);
    if (type === undefined) throw new Error(`${planned.placeholder} lists ${name}, which its pool does not have`);
    const offerings = type.offerings
      .filter((offering) => offering.available && isAllowed(planned, offering))
      .sort((a, b) => a.pricePerHour - b.pricePerHour);
    if (offerings.length === 0) throw new Error(`${planned.placeholder} lists ${name}, which cannot be bought`);
    return offerings.map((offering) => ({ type, offering }));
  });
}

function isAllowed({ requirements }: PlannedNode, { requirements: offered }: Offering): boolean {
  return offered.every(({ key, values }) => {
    const asked = requirements.get(key);
    return asked === undefined || values!.some((value) => asked.values.has(value) !== asked.complement);
  });
}

/** What the purchase is; for every other label the plan speaks of, some value that it leaves open. */
function labelsOf(
  planned: PlannedNode,
  { type, offering }: Purchase,
  random: Random,
): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const { key, values = [] } of [...type.requirements, ...offering.requirements]) {
    if (values.length > 0) labels[key] = values[0]!;
  }
  for (const { key, complement, values, lowest, highest } of planned.requirements.values()) {
    if (Object.hasOwn(labels, key)) continue;
    if (!complement && values.size === 0) continue; // the label must not be there
    const choices = complement ? INVENTED : [...values];
    const fitting = choices.filter(
      (value) =>
        values.has(value) !== complement &&
        (lowest === undefined || (isNumber(value) && BigInt(value) >= lowest)) &&
        (highest === undefined || (isNumber(value) && BigInt(value) <= highest)),
    );
    if (fitting.length === 0) throw new Error(`${planned.placeholder}: no value meets what is asked of ${key}`);
    labels[key] = random.pick(fitting);
  }
  return labels;
}

/** Values a controller may make up for a label of which only limits are known: none that fleets name, and some they do. */
const INVENTED: readonly string[] = Array.from({ length: 40 }, (_, index) => String(index));

function isNumber(value: string): boolean {
  return matchesExpression({ key: '', operator: 'Gt', values: ['-1'] }, value);
}

/** Capacity less all overhead. */
export function allocatableOf({ capacity, overhead }: InstanceType): ReadonlyMap<string, bigint> {
  const allocatable = new Map(amountsOf(capacity));
  for (const part of [overhead.kubeReserved, overhead.systemReserved, overhead.evictionThreshold]) {
    for (const [name, amount] of amountsOf(part)) allocatable.set(name, (allocatable.get(name) ?? 0n) - amount);
  }
  return allocatable;
}
