import type { EC2NodeClass } from '@karpenter-ts/apis';
import { type EventDraft, HOUR, subjectOf } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from './node-class-lookup.ts';
import type { NodeClassSpec } from './node-class-parts.ts';

/** The fields of a selector term that decide alone, the first that is set before the others. */
const DECIDING = {
  amiSelectorTerms: ['alias', 'id', 'ssmParameter'],
  capacityReservationSelectorTerms: ['id'],
  securityGroupSelectorTerms: ['id', 'name'],
  subnetSelectorTerms: ['id'],
} as const satisfies Partial<Record<keyof NodeClassSpec, readonly string[]>>;

/**
 * The paths of fields that select nothing, because another field of their term decides alone. The rules of the CRD refuse
 * such terms only if all terms of the list are so.
 */
export function ignoredSelectorFields(spec: EC2NodeClass['spec']): readonly string[] {
  return (Object.keys(DECIDING) as (keyof typeof DECIDING)[]).flatMap((list) =>
    (spec?.[list] ?? []).flatMap((term: Readonly<Record<string, unknown>>, index) => {
      const deciding = DECIDING[list].find((field) => term[field]);
      if (deciding === undefined) return [];
      const ignored = Object.keys(term).filter((field) => field !== deciding && term[field]);
      return ignored.sort().map((field) => `${list}[${index}].${field}`);
    }),
  );
}

/** Tells of such fields; undefined if there are none. Upstream says nothing (spec 08, weakness 34). */
export function ignoredFieldsEvent(nodeClass: EC2NodeClass): EventDraft | undefined {
  const ignored = ignoredSelectorFields(nodeClass.spec);
  if (ignored.length === 0) return undefined;
  const message = `Fields of selector terms are ignored beside others that decide alone: ${ignored.join(', ')}`;
  return {
    on: subjectOf(EC2_NODE_CLASSES, nodeClass),
    type: 'Warning',
    reason: 'SelectorFieldsIgnored',
    message,
    dedupe: [nodeClass.metadata.uid ?? '', message],
    dedupeTimeout: 1 * HOUR,
  };
}
