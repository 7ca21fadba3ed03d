import { memberOf } from '../values/member.ts';
import { goJson, goQuote } from '../values/go-text.ts';
import { parseInt64 } from '../values/int64.ts';
import { labelValueProblems, qualifiedNameProblems } from '../values/qualified-name.ts';

/** How a requirement relates its key to its values, in the words of the text form. */
export type LabelOperator = '=' | '==' | '!=' | 'in' | 'notin' | 'gt' | 'lt' | 'exists' | '!';

/** One condition on the label of a key. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  readonly values: readonly string[];
}

/** Which objects are selected: none, or those that meet every requirement. Requirements are sorted by key. */
export type LabelSelector =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'requirements'; readonly requirements: readonly LabelRequirement[] };

/** A selector as it stands in an object. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelExpression[];
}

interface LabelExpression {
  readonly key: string;
  readonly operator: string; // In, NotIn, Exists, DoesNotExist
  readonly values?: readonly string[];
}

/** The selector cannot be understood. The message is the API server's, to the letter. */
export class LabelSelectorError extends Error {
  override readonly name = 'LabelSelectorError';
}

const EXPRESSION_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The selector of an object: an absent one selects nothing, an empty one everything. Throws `LabelSelectorError`. */
export function labelSelectorFrom(spec: LabelSelectorSpec | undefined): LabelSelector {
  if (spec === undefined) return { kind: 'nothing' };
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(spec.matchLabels ?? {})) {
    requirements.push(checked({ key, operator: '=', values: [value] }));
  }
  for (const { key, operator: word, values = [] } of spec.matchExpressions ?? []) {
    const operator = EXPRESSION_OPERATORS.get(word);
    if (operator === undefined) throw new LabelSelectorError(`${goQuote(word)} is not a valid label selector operator`);
    requirements.push(checked({ key, operator, values }));
  }
  return selectorOf(requirements);
}

/** The selector of all the requirements, in which `findRequirementProblem` must have found nothing. */
export function selectorOf(requirements: readonly LabelRequirement[]): LabelSelector {
  return {
    kind: 'requirements',
    requirements: requirements.toSorted((a, b) => (a.key < b.key ? -1 : +(a.key > b.key))),
  };
}

/** Whether an object with these labels is selected. A missing label meets `!=`, `notin` and `!`. */
export function matchesLabels(selector: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  if (selector.kind === 'nothing') return false;
  for (const requirement of selector.requirements) {
    const { key } = requirement;
    const label = memberOf(labels, key);
    if (!meets(requirement, label)) return false;
  }
  return true;
}

/** The text form, values sorted. What selects nothing and what selects everything are both empty, as in Go. */
export function formatLabelSelector(selector: LabelSelector): string {
  return selector.kind === 'nothing' ? '' : selector.requirements.map(formatRequirement).join(',');
}

/** What is wrong with a requirement, all at once in the server's words; `undefined` if it is sound. */
export function findRequirementProblem(requirement: LabelRequirement): string | undefined {
  const { key, operator, values } = requirement;
  const problems: string[] = [];
  const refuse = (field: string, value: string | readonly string[] | null, details: readonly string[]): void => {
    if (details.length === 0) return;
    const printed = typeof value === 'string' ? goQuote(value) : goJson(value);
    problems.push(`${field}: Invalid value: ${printed}: ${details.join('; ')}`);
  };
  refuse('key', key, qualifiedNameProblems(key));
  refuse('values', values.length === 0 ? null : values, countProblems(requirement));
  if (operator === 'gt' || operator === 'lt') {
    values.forEach((value, i) => refuse(`values[${i}]`, value, integerProblems(value)));
  }
  values.forEach((value, i) => refuse(`values[${i}][${key}]`, value, labelValueProblems(value)));
  const distinct = [...new Set(problems)];
  return distinct.length > 1 ? `[${distinct.join(', ')}]` : distinct[0];
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const problem = findRequirementProblem(requirement);
  if (problem !== undefined) throw new LabelSelectorError(problem);
  return requirement;
}

function countProblems({ operator, values }: LabelRequirement): readonly string[] {
  switch (operator) {
    case 'in':
    case 'notin':
      return values.length > 0 ? [] : ["for 'in', 'notin' operators, values set can't be empty"];
    case 'exists':
    case '!':
      return values.length === 0 ? [] : ['values set must be empty for exists and does not exist'];
    case 'gt':
    case 'lt':
      return values.length === 1 ? [] : ["for 'Gt', 'Lt' operators, exactly one value is required"];
    default:
      return values.length === 1 ? [] : ['exact-match compatibility requires one single value'];
  }
}

function integerProblems(value: string): readonly string[] {
  return typeof parseInt64(value) === 'bigint' ? [] : ["for 'Gt', 'Lt' operators, the value must be an integer"];
}

function meets({ operator, values }: LabelRequirement, label: string | undefined): boolean {
  switch (operator) {
    case 'exists':
      return label !== undefined;
    case '!':
      return label === undefined;
    case '!=':
    case 'notin':
      return label === undefined || !values.includes(label);
    case 'gt':
    case 'lt':
      return label !== undefined && isOrdered(operator, label, values[0]!);
    default:
      return label !== undefined && values.includes(label);
  }
}

/** As integers; a label that is none is neither greater nor less. */
function isOrdered(operator: 'gt' | 'lt', label: string, bound: string): boolean {
  const value = parseInt64(label);
  const limit = parseInt64(bound);
  if (typeof value === 'string' || typeof limit === 'string') return false;
  return operator === 'gt' ? value > limit : value < limit;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  const list = values.toSorted().join(',');
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${list})`;
    case 'gt':
      return `${key}>${list}`;
    case 'lt':
      return `${key}<${list}`;
    default:
      return `${key}${operator}${list}`;
  }
}
