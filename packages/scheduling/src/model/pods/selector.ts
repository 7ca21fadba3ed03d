import {
  type LabelSelector,
  LabelSelectorError,
  labelSelectorFrom,
  type LabelSelectorSpec,
} from '@karpenter-ts/kubernetes';

/** The selector of a rule: an absent one selects nothing, and so does one that makes no sense. */
export function selectorFrom(spec: LabelSelectorSpec | undefined): LabelSelector {
  try {
    return labelSelectorFrom(spec);
  } catch (error) {
    if (error instanceof LabelSelectorError) return { kind: 'nothing' };
    throw error;
  }
}

/** A selector of what both select; an absent one selects nothing. */
export function bothSelectors(
  a: LabelSelectorSpec | undefined,
  b: LabelSelectorSpec | undefined,
): LabelSelectorSpec | undefined {
  return a && b && { matchExpressions: [...toExpressions(a), ...toExpressions(b)] };
}

/** All that a selector asks for as expressions, of which one label may have several. */
export function toExpressions({ matchLabels = {}, matchExpressions = [] }: LabelSelectorSpec) {
  const labels = Object.entries(matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...labels, ...matchExpressions];
}

/** The label keys by which a selector tells pods apart. */
export function selectorKeys(spec: LabelSelectorSpec | undefined): readonly string[] {
  return [...Object.keys(spec?.matchLabels ?? {}), ...(spec?.matchExpressions ?? []).map(({ key }) => key)];
}

/** Equal for selectors that ask for the same, in whatever order. */
export function selectorText(spec: LabelSelectorSpec | undefined): string {
  const labels = Object.entries(spec?.matchLabels ?? {}).map((entry) => entry.join('='));
  const expressions = (spec?.matchExpressions ?? []).map(({ key, operator, values = [] }) =>
    JSON.stringify([key, operator, values.toSorted()]),
  );
  return JSON.stringify(spec === undefined ? null : [labels.sort(), [...new Set(expressions)].sort()]);
}
