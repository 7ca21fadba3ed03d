import { NODEPOOL_LABEL } from '../names/labels.ts';
import { findLabelRestriction, type ProviderProfile } from '../names/provider-profile.ts';
import { goQuote, labelValueProblems, qualifiedNameProblems } from '@karpenter-ts/kubernetes';
import { error, type Problem } from './problem.ts';

/** Problems of the labels a NodePool puts on its Nodes, by key. */
export function validateLabels(
  labels: Readonly<Record<string, string>>,
  profile: ProviderProfile,
  path: string,
): readonly Problem[] {
  return Object.keys(labels)
    .sort()
    .flatMap((key) => validateLabel(key, labels[key]!, profile).map((message) => error(`${path}.${key}`, message)));
}

function validateLabel(key: string, value: string, profile: ProviderProfile): readonly string[] {
  const name = `invalid key name ${goQuote(key)} in labels`;
  const restriction = findLabelRestriction(key, profile);
  return [
    ...(key === NODEPOOL_LABEL ? [`${name}, restricted`] : []),
    ...qualifiedNameProblems(key).map((problem) => `${name}, ${goQuote(problem)}`),
    ...labelValueProblems(value).map((problem) => `invalid value: ${value} for label[${key}], ${problem}`),
    ...(restriction === undefined ? [] : [`${name}, ${restriction}`]),
  ];
}
