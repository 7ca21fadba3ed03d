import { type LabelSelector, LabelSelectorError, type LabelSelectorSpec, labelSelectorFrom } from '@karpenter-ts/apis';

/** The selector of a rule: an absent one selects nothing, and so does one that makes no sense. */
export function selectorFrom(spec: LabelSelectorSpec | undefined): LabelSelector {
  try {
    return labelSelectorFrom(spec);
  } catch (error) {
    if (error instanceof LabelSelectorError) return { kind: 'nothing' };
    throw error;
  }
}

/** The label keys by which a selector tells pods apart. */
export function selectorKeys(spec: LabelSelectorSpec | undefined): readonly string[] {
  return [...Object.keys(spec?.matchLabels ?? {}), ...(spec?.matchExpressions ?? []).map(({ key }) => key)];
}
