import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type JsonObject,
  labelValueProblems,
  qualifiedNameProblems,
} from '@karpenter-ts/kubernetes';
import {
  duplicate,
  forbiddenField,
  InnerForm,
  invalidValue,
  notSupported,
  type Problem,
  required,
} from '../../field-errors.ts';
import { scalarText } from '../../object.ts';
import { all, atLeast, itemsOf, labelKey, labels, oneOf, type Path, type StructRules } from './struct-rule.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Where pods may go. */
export const SCHEDULING_RULES: StructRules = {
  'core.Toleration': tolerationProblems,
  'core.NodeSelector': (selector, path) =>
    itemsOf(selector, 'nodeSelectorTerms').length > 0
      ? []
      : [required([...path, 'nodeSelectorTerms'], 'must have at least one node selector term')],
  'core.NodeSelectorTerm': (term, path) => [
    ...itemsOf(term, 'matchExpressions').flatMap((one, i) => expressionProblems(one, [...path, 'matchExpressions', i])),
    ...itemsOf(term, 'matchFields').flatMap((one, i) => nodeFieldProblems(one, [...path, 'matchFields', i])),
  ],
  'core.PreferredSchedulingTerm': weightProblems,
  'core.WeightedPodAffinityTerm': weightProblems,
  'core.PodAffinityTerm': podAffinityProblems,
  'core.TopologySpreadConstraint': all(
    atLeast(1, 'maxSkew', 'minDomains'),
    (value, path) => (value['topologyKey'] ? [] : [required([...path, 'topologyKey'], 'can not be empty')]),
    oneOf('whenUnsatisfiable', 'DoNotSchedule', 'ScheduleAnyway'),
    minDomainsProblems,
    oneOf('nodeAffinityPolicy', 'Honor', 'Ignore'),
    oneOf('nodeTaintsPolicy', 'Honor', 'Ignore'),
  ),
  'meta.LabelSelector': labels('matchLabels'),
  'meta.LabelSelectorRequirement': labelRequirementProblems,
};

function tolerationProblems(toleration: JsonObject, path: Path): readonly Problem[] {
  const { key = '', operator = '', value = '', effect = '', tolerationSeconds } = toleration;
  const problems: Problem[] = key === '' ? [] : [...labelKey('key')(toleration, path)];
  if (key === '' && operator !== 'Exists') {
    const why = 'operator must be Exists when `key` is empty, which means "match all values and all keys"';
    problems.push(invalidValue([...path, 'operator'], operator, why));
  }
  if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
    problems.push(
      invalidValue([...path, 'effect'], effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"),
    );
  }
  if (operator === '' || operator === 'Equal') {
    const wrong = labelValueProblems(value as string);
    if (wrong.length > 0) problems.push(invalidValue([...path, 'operator'], value, wrong.join(';')));
  } else if (operator === 'Exists') {
    if (value !== '')
      problems.push(invalidValue([...path, 'operator'], value, "value must be empty when `operator` is 'Exists'"));
  } else {
    const known = operator === 'Lt' || operator === 'Gt' ? ['Equal', 'Exists', 'Lt', 'Gt'] : ['Equal', 'Exists'];
    problems.push(notSupported([...path, 'operator'], operator, known));
  }
  if (effect !== '' && !EFFECTS.includes(effect as string))
    problems.push(notSupported([...path, 'effect'], effect, EFFECTS));
  return problems;
}

/** What is wrong with a node's taints; the real server places them under its metadata. */
export function taintProblems(taints: readonly JsonObject[]): readonly Problem[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const path: Path = ['metadata', 'taints', index];
    const { key = '', value = '', effect = '' } = taint as Readonly<Record<string, string>>;
    const problems: Problem[] = [...labelKey('key')(taint, path)];
    const wrong = labelValueProblems(value);
    if (wrong.length > 0) problems.push(invalidValue([...path, 'value'], value, wrong.join(';')));
    if (effect === '') problems.push(required([...path, 'effect']));
    else if (!EFFECTS.includes(effect)) problems.push(notSupported([...path, 'effect'], effect, EFFECTS));
    const id = `${key}:${effect}`;
    if (seen.has(id)) problems.push(repeatedTaint(path, taint));
    seen.add(id);
    return problems;
  });
}

function repeatedTaint(path: Path, { key = '', value = '', effect = '', timeAdded = null }: JsonObject): Problem {
  const problem = duplicate(path, new InnerForm({ Key: key, Value: value, Effect: effect, TimeAdded: timeAdded }));
  return { ...problem, message: `${problem.message}: taints must be unique by key and effect pair` };
}

function weightProblems({ weight = 0 }: JsonObject, path: Path): readonly Problem[] {
  const isRight = (weight as number) > 0 && (weight as number) <= 100;
  return isRight ? [] : [invalidValue([...path, 'weight'], weight, 'must be in the range 1-100')];
}

function expressionProblems(expression: JsonObject, path: Path): readonly Problem[] {
  const { operator = '' } = expression;
  const values = textsOf(expression);
  const problems: Problem[] = [];
  if (operator === 'Gt' || operator === 'Lt') {
    const why = "must be specified single value when `operator` is 'Lt' or 'Gt'";
    if (values.length !== 1) problems.push(required([...path, 'values'], why));
  } else {
    problems.push(...setOperatorProblems(operator as string, values, path));
  }
  // What is only preferred may be nonsense: no node will have it.
  const isPreference = path.includes('preference');
  return [...problems, ...labelKey('key')(expression, path), ...(isPreference ? [] : valueProblems(values, path))];
}

function labelRequirementProblems(requirement: JsonObject, path: Path): readonly Problem[] {
  const values = textsOf(requirement);
  return [
    ...setOperatorProblems(scalarText(requirement['operator']), values, path),
    ...labelKey('key')(requirement, path),
    ...valueProblems(values, path),
  ];
}

function setOperatorProblems(operator: string, values: readonly string[], path: Path): readonly Problem[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [required([...path, 'values'], "must be specified when `operator` is 'In' or 'NotIn'")];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        forbiddenField([...path, 'values'], "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"),
      ];
    default:
      return [invalidValue([...path, 'operator'], operator, 'not a valid selector operator')];
  }
}

function nodeFieldProblems(requirement: JsonObject, path: Path): readonly Problem[] {
  const { operator = '', key = '' } = requirement as Readonly<Record<string, string>>;
  const values = textsOf(requirement);
  const problems: Problem[] = [];
  if (operator !== 'In' && operator !== 'NotIn') {
    problems.push(invalidValue([...path, 'operator'], operator, 'not a valid selector operator'));
  } else if (values.length !== 1) {
    const why = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    problems.push(required([...path, 'values'], why));
  }
  if (key !== 'metadata.name')
    return [...problems, invalidValue([...path, 'key'], key, 'not a valid field selector key')];
  const wrong = values.flatMap((value, index) =>
    dns1123SubdomainProblems(value).map((problem) => invalidValue([...path, 'values', index], value, problem)),
  );
  return [...problems, ...wrong];
}

function podAffinityProblems(term: JsonObject, path: Path): readonly Problem[] {
  const { topologyKey = '', namespaces = [] } = term;
  const problems = (namespaces as readonly string[]).flatMap((name) =>
    dns1123LabelProblems(name).map((problem) => invalidValue([...path, 'namespace'], name, problem)),
  );
  if (topologyKey === '') problems.push(required([...path, 'topologyKey'], 'can not be empty'));
  return [
    ...problems,
    ...qualifiedNameProblems(topologyKey as string).map((problem) =>
      invalidValue([...path, 'topologyKey'], topologyKey, problem),
    ),
  ];
}

function minDomainsProblems({ minDomains, whenUnsatisfiable }: JsonObject, path: Path): readonly Problem[] {
  if (typeof minDomains !== 'number' || whenUnsatisfiable === 'DoNotSchedule') return [];
  const why = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${scalarText(whenUnsatisfiable)}`;
  return [invalidValue([...path, 'minDomains'], minDomains, why)];
}

const textsOf = (requirement: JsonObject): readonly string[] => (requirement['values'] ?? []) as readonly string[];

function valueProblems(values: readonly string[], path: Path): readonly Problem[] {
  return values.flatMap((value, index) =>
    labelValueProblems(value).map((problem) => invalidValue([...path, 'values', index], value, problem)),
  );
}
