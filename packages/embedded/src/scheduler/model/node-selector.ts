import {
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  type LabelSelector,
  matchesLabels,
  type NodeSelector,
  type NodeSelectorRequirement,
  type NodeSelectorTerm,
  type PodSpec,
} from '@karpenter-ts/kubernetes';

/** What a selector sees of a node. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Labels;
}

export type NodeMatcher = (node: SelectableNode) => boolean;

/** Whether the pod's selector and required affinity allow a node; undefined when they allow every one. */
export function requiredNodes({ nodeSelector = {}, affinity }: PodSpec): NodeMatcher | undefined {
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const pairs = Object.entries(nodeSelector);
  if (pairs.length === 0 && required === undefined) return undefined;
  const matchesAny = required === undefined ? undefined : nodeMatcher(required);
  return (node) => pairs.every(([key, value]) => node.labels[key] === value) && (matchesAny?.(node) ?? true);
}

/** The nodes that meet one of the selector's terms. */
export function nodeMatcher(selector: NodeSelector): NodeMatcher {
  const terms = selector.nodeSelectorTerms.map(termMatcher);
  return (node) => terms.some((matches) => matches(node));
}

/** The nodes that match all of a term: none if the term is empty or invalid. */
export function termMatcher({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm): NodeMatcher {
  const labels = requirementsOf(matchExpressions);
  const names = nameRequirementsOf(matchFields);
  if (labels === undefined || names === undefined || labels.length + names.length === 0) return () => false;
  const selector: LabelSelector = { kind: 'requirements', requirements: labels };
  return (node) =>
    matchesLabels(selector, node.labels) && names.every(({ isIn, name }) => (node.name === name) === isIn);
}

/**
 * The names of the only nodes that required affinity can match, as for daemon pods. Undefined if a term names no node.
 */
export function namedNodes({ affinity }: PodSpec): ReadonlySet<string> | undefined {
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const all = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const lists = matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    if (lists.length === 0) return undefined;
    const common = lists.map(({ values = [] }) => new Set(values)).reduce((a, b) => a.intersection(b));
    for (const name of common) all.add(name);
  }
  return terms.length === 0 ? undefined : all;
}

const OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
  ['Gt', 'gt'],
  ['Lt', 'lt'],
]);

function requirementsOf(expressions: readonly NodeSelectorRequirement[]): readonly LabelRequirement[] | undefined {
  const requirements: LabelRequirement[] = [];
  for (const { key, operator: word, values = [] } of expressions) {
    const operator = OPERATORS.get(word);
    if (operator === undefined) return undefined;
    requirements.push({ key, operator, values });
  }
  return requirements;
}

function nameRequirementsOf(
  fields: readonly NodeSelectorRequirement[],
): readonly { readonly isIn: boolean; readonly name: string }[] | undefined {
  const isUnderstood = fields.every(
    ({ key, operator, values = [] }) =>
      key === 'metadata.name' && (operator === 'In' || operator === 'NotIn') && values.length === 1,
  );
  if (!isUnderstood) return undefined;
  return fields.map(({ operator, values = [] }) => ({ isIn: operator === 'In', name: values[0]! }));
}
