import { admits, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Stage } from '../model/pods/constraints.ts';
import type { PodShape } from '../model/pods/pod-shape.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import { KeyChoice } from './key-choice.ts';
import { LabelGroup } from './label-group.ts';
import type { BindingRule } from './topology.ts';
import type { DomainTables } from '../model/requirements/domains.ts';

/** Where a pod could go, as a metric counts it: the zone it is bound to, `flexible`, or `none` (spec 02 §25.3). */
export function effectiveZone(
  shape: PodShape,
  stage: Stage,
  binding: readonly BindingRule[],
  tables: { readonly sets: RequirementSets; readonly domains: DomainTables },
): string {
  const domains = tables.domains.of(ZONE_LABEL);
  const own = stage.strictNeeds.set.find(domains.keyId);
  const rules = zonesByRules(stage, binding, domains.keyId);
  if (rules === 'none') return 'none';
  const listed = own < 0 ? undefined : listedZones(own, tables);
  const volumes = zonesOfVolumes(shape, domains.keyId, tables);
  const start = listed ?? volumes ?? (rules.size > 0 ? rules : undefined);
  if (start === undefined) return 'flexible';
  const isAdmitted = (zone: string) => own < 0 || admits(tables.sets.table.get(own), zone);
  const left = [...start].filter(
    (zone) => isAdmitted(zone) && (volumes?.has(zone) ?? true) && (rules.size === 0 || rules.has(zone)),
  );
  return left.length > 1 ? 'flexible' : (left[0] ?? 'none');
}

type Zones = ReadonlySet<string>;

/** Zones all rules on zones leave open; `none` if one leaves nothing. Rules that exclude each other count as no rule. */
function zonesByRules({ needs }: Stage, binding: readonly BindingRule[], zoneKey: number): Zones | 'none' {
  let zones: Zones | undefined;
  for (const { group, isSelected } of binding) {
    if (!(group instanceof LabelGroup) || group.domains.keyId !== zoneKey) continue;
    const choice = new KeyChoice(group.domains);
    const requirement = needs.set.find(zoneKey);
    group.restrict(choice, requirement < 0 ? undefined : group.domains.admitted(requirement), isSelected);
    if (choice.isEmpty()) return 'none';
    const open = new Set(choice.open().map((domain) => group.domains.nameOf(domain)));
    zones = zones === undefined ? open : zones.intersection(open);
  }
  return zones ?? new Set();
}

/** The union over the alternatives; `undefined` if one of them leaves the zone open. */
function zonesOfVolumes(
  { volumeAlternatives }: PodShape,
  zoneKey: number,
  tables: { readonly sets: RequirementSets },
): Zones | undefined {
  const zones = new Set<string>();
  for (const { set } of volumeAlternatives) {
    const requirement = set.find(zoneKey);
    const listed = requirement < 0 ? undefined : listedZones(requirement, tables);
    if (listed === undefined) return undefined;
    for (const zone of listed) zones.add(zone);
  }
  return zones;
}

function listedZones(requirement: number, { sets }: { readonly sets: RequirementSets }): Zones | undefined {
  const { complement, values } = sets.table.get(requirement);
  return complement || values.size === 0 ? undefined : values;
}
