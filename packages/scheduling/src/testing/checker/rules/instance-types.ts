import { CAPACITY_TYPE_LABEL, formatRequirements, type Requirement, toRequirements } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '../../../snapshot.ts';
import { beforeReserving, fitsOnType, fittingOfferings, offeringsOf, priceOf } from '../buying.ts';
import type { Rule } from '../rule.ts';
import { termSelects } from '../selection.ts';
import { isTypeCompatible, type PlannedTarget, type CheckedPlan } from '../checked-plan.ts';

/** No type listed for a node has a label the node may not have (§21). */
export const typesMeetRequirements: Rule = (checked) =>
  forTypes(
    checked,
    (target, type) => isTypeCompatible(type, beforeReserving(target, checked), checked.options.profile),
    (target, type) => `${type.name} does not meet ${formatRequirements(target.node.requirements)}`,
  );

/** Every type listed can be bought now; beside a reservation, types that lack it may be listed last (§§20, 21). */
export const typesCanBeBought: Rule = (checked) =>
  forTypes(
    checked,
    (target, type) =>
      offeringsOf(target, type, checked).length > 0 ||
      (target.node.reservations.length > 0 && type.name !== target.node.instanceTypes[0]),
    (target, type) => `${type.name} cannot be had for ${target.hostname}`,
  );

/** There is at least one type, none twice, and no more than a plan may list (§22). */
export const typeListSized: Rule = ({ planned, options }) =>
  planned
    .filter(({ node: { instanceTypes } }) => {
      const isSized = instanceTypes.length > 0 && instanceTypes.length <= options.maxInstanceTypes;
      return !isSized || new Set(instanceTypes).size !== instanceTypes.length;
    })
    .map(({ hostname, node }) => `${hostname} lists ${node.instanceTypes.length} types`);

/** The cheapest come first (§22), last resorts behind all that a launch takes before them (07 §12). */
export const typesCheapestFirst: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const split = target.types.length - target.node.lastResorts;
    return [target.types.slice(0, split), target.types.slice(split)].flatMap((types) => {
      const prices = types.map((type) => priceOf(target, type, checked));
      const wrong = prices.findIndex((price, index) => index > 0 && price < prices[index - 1]!);
      return wrong === -1 ? [] : [`${types[wrong]!.name} of ${target.hostname} is cheaper than one before it`];
    });
  });

/** Last resorts are told apart where a launch would take others, and nowhere else (07 §12). */
export const lastResortsTold: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const { node, types, hostname } = target;
    const isVaried = [...node.requirements.values()].some(({ minValues }) => minValues !== undefined);
    const offered = types.filter((type) => priceOf(target, type, checked) < Number.POSITIVE_INFINITY);
    const others = offered.filter(({ lastResort }) => lastResort !== true);
    const expected = isVaried || others.length === 0 ? 0 : offered.length - others.length;
    const told = offered.filter((type) => types.indexOf(type) >= types.length - node.lastResorts).length;
    const isTold = offered.slice(0, offered.length - told).every((type) => others.includes(type));
    const isRight = told === expected && (expected === 0 || isTold);
    return isRight ? [] : [`${hostname} tells ${told} of ${offered.length} types as last resorts, not ${expected}`];
  });

/** A node costs what its cheapest type costs, and the plan what its nodes cost (§22). */
export const pricesAddUp: Rule = (checked) => {
  const wrong = checked.planned.filter((target) => {
    const [cheapest] = target.types;
    return cheapest !== undefined && !isSamePrice(target.node.pricePerHour, priceOf(target, cheapest, checked));
  });
  const total = checked.planned.reduce((sum, { node }) => sum + node.pricePerHour, 0);
  return [
    ...wrong.map(({ hostname, node }) => `${hostname} does not cost ${node.pricePerHour}`),
    ...(isSamePrice(total, checked.plan.pricePerHour)
      ? []
      : [`the nodes cost ${total}, not ${checked.plan.pricePerHour}`]),
  ];
};

function isSamePrice(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a));
}

/**
 * A cheaper type that would do is not left out: a launch might have had it. (Limits, ports, reservations and daemons that a
 * pod is to be apart from may.)
 */
export const noFittingTypeLeftOut: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const { node, pool, hostname } = target;
    const isCut = node.instanceTypes.length >= checked.options.maxInstanceTypes;
    const mayDiffer = pool.nodePool.spec.limits !== undefined || hasHostPorts(target) || node.reservations.length > 0;
    if (isCut || mayDiffer || isApartFromDaemons(target, checked)) return [];
    const listed = new Set(node.instanceTypes);
    return pool.instanceTypes
      .filter(
        (type) => !listed.has(type.name) && !isAwaited(type, target, checked) && fitsOnType(target, type, checked),
      )
      .map((type) => `${type.name} would do for ${hostname} too`);
  });

/** A node that must not be bought beside a reservation does without types of which something is reserved (09 A1). */
function isAwaited({ offerings }: InstanceType, { node }: PlannedTarget, { options }: CheckedPlan): boolean {
  if (node.source === 'upstream' || options.reservedCapacity !== 'Strict') return false;
  return offerings.some(({ reservation }) => reservation !== undefined);
}

function isApartFromDaemons({ placed }: PlannedTarget, { snapshot }: CheckedPlan): boolean {
  const keepsAway = (pod: Pod, other: Pod) =>
    (pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []).some((term) =>
      termSelects(pod, term, snapshot)(other),
    );
  return snapshot.daemonPods.some((daemon) =>
    placed.some(({ pod }) => keepsAway(pod, daemon) || keepsAway(daemon, pod)),
  );
}

function hasHostPorts({ placed }: PlannedTarget): boolean {
  return placed.some(({ pod }) =>
    (pod.spec.containers ?? []).some(({ ports = [] }) => ports.some(({ hostPort }) => hostPort)),
  );
}

/** As many values of a label are left as `minValues` asks, or the node says that it was lowered (§21). */
export const minValuesMet: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const { node, pool, hostname } = target;
    const asked = [...pool.template.values()].filter(({ minValues }) => minValues !== undefined);
    const lowered = asked.filter(({ key, minValues }) => {
      const kept = node.requirements.get(key)?.minValues ?? 0;
      const isPinned = node.reservations.length > 0; // which drops what was asked of the capacity type
      return (
        kept < minValues! && !(node.minValuesRelaxed && checked.options.minValuesPolicy === 'BestEffort') && !isPinned
      );
    });
    const short = [...node.requirements.values()].filter((requirement) =>
      hasTooFewValues(target.types, requirement, checked),
    );
    return [
      ...lowered.map(({ key }) => `${hostname} lowers minValues of ${key}`),
      ...short.map(({ key }) => `${hostname} has too few values of ${key}`),
    ];
  });

/** Counts the types' own values, whether or not the node may have them (weakness 17). */
export function hasTooFewValues(
  types: readonly InstanceType[],
  { key, minValues = 0 }: Requirement,
  { options }: CheckedPlan,
): boolean {
  const values = types.flatMap((type) => [
    ...(toRequirements(type.requirements, options.profile).get(key)?.values ?? []),
  ]);
  return new Set(values).size < minValues;
}

/** The ways to pay that a node lists are those by which one of its types can be had that its pods fit on. */
export const capacityTypesTrue: Rule = (checked) =>
  checked.planned.flatMap((target) => {
    const offerings = target.types.flatMap((type) => fittingOfferings(target, type, checked));
    const offered = offerings.flatMap(
      ({ requirements }) => requirements.find(({ key }) => key === CAPACITY_TYPE_LABEL)?.values ?? [],
    );
    const expected = [...new Set(offered)].sort().join();
    const said = target.node.capacityTypes.join();
    return said === expected ? [] : [`${target.hostname} can be had as [${expected}], not [${said}]`];
  });

function forTypes(
  { planned }: CheckedPlan,
  isRight: (target: PlannedTarget, type: InstanceType) => boolean,
  say: (target: PlannedTarget, type: InstanceType) => string,
): readonly string[] {
  return planned.flatMap((target) =>
    target.types.filter((type) => !isRight(target, type)).map((type) => say(target, type)),
  );
}
