import { goQuote } from '../values/go-text.ts';
import {
  findRequirementProblem,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  LabelSelectorError,
  selectorOf,
} from './label-selector.ts';
import { qualifiedNameProblems } from '../values/qualified-name.ts';

const BINARY_OPERATORS: ReadonlyMap<string, LabelOperator> = new Map([
  ['in', 'in'],
  ['notin', 'notin'],
  ['=', '='],
  ['==', '=='],
  ['!=', '!='],
  ['>', 'gt'],
  ['<', 'lt'],
]);

/**
 * Reads a selector as `kubectl -l` and the `labelSelector` parameter have it: `a=b,c in (d,e),!f,g>3`. The empty text
 * selects everything. Throws `LabelSelectorError`.
 */
export function parseLabelSelector(text: string): LabelSelector {
  const tokens = new Tokens(text);
  const requirements: LabelRequirement[] = [];
  if (tokens.peek() !== '' && !startsRequirement(tokens.peek())) {
    throw found(tokens.peek(), ", expected: !, identifier, or 'end of string'");
  }
  while (tokens.peek() !== '') {
    requirements.push(parseRequirement(tokens));
    const separator = tokens.take();
    if (separator === '') break;
    if (separator !== ',') throw found(separator, ", expected: ',' or 'end of string'");
    if (!startsRequirement(tokens.peek())) throw found(tokens.peek(), ", expected: identifier after ','");
  }
  return selectorOf(requirements);
}

function parseRequirement(tokens: Tokens): LabelRequirement {
  const first = tokens.take();
  const key = first === '!' ? tokens.take() : first;
  if (!isIdentifier(key)) throw unparsable(`found '${key}', expected: identifier`);
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) throw unparsable(`<nil>: Invalid value: ${goQuote(key)}: ${problems.join('; ')}`);
  if (first === '!') return { key, operator: '!', values: [] };
  if (tokens.peek() === '' || tokens.peek() === ',') return { key, operator: 'exists', values: [] };

  const word = tokens.take();
  const operator = BINARY_OPERATORS.get(word);
  if (operator === undefined) throw unparsable(`found '${word}', expected: in, notin, =, ==, !=, gt, lt`);
  const values = operator === 'in' || operator === 'notin' ? parseValues(tokens) : [parseValue(tokens)];
  const requirement: LabelRequirement = { key, operator, values };
  const problem = findRequirementProblem(requirement);
  if (problem !== undefined) throw unparsable(problem);
  return requirement;
}

/** A list in brackets, sorted and without doubles. What is left out between commas is an empty value. */
function parseValues(tokens: Tokens): readonly string[] {
  const open = tokens.take();
  if (open !== '(') throw unparsable(`found '${open}' expected: '('`);
  const first = tokens.peek();
  if (first !== ',' && first !== ')' && !isIdentifier(first)) {
    throw unparsable(`found '${first}', expected: ',', ')' or identifier`);
  }
  const values = new Set<string>();
  for (;;) {
    const value = isIdentifier(tokens.peek()) ? tokens.take() : '';
    values.add(value);
    const separator = tokens.take();
    if (separator === ')') return [...values].sort();
    if (separator === ',') continue;
    throw unparsable(`found '${separator}', expected: ${value === '' ? "',', or identifier" : "',' or ')'"}`);
  }
}

function parseValue(tokens: Tokens): string {
  if (tokens.peek() === '' || tokens.peek() === ',') return '';
  const value = tokens.take();
  if (!isIdentifier(value)) throw unparsable(`found '${value}', expected: identifier`);
  return value;
}

/** Operators, brackets, commas and the words between them; the empty token is the end. */
class Tokens {
  readonly #text: string;
  // A NUL ends the text as it does in Go, unless a token stands right before it.
  readonly #pattern = /[ \t\r\n]*(!=|==|[=!(),<>]|[^=!(),<> \t\r\n\0]+)\0?/y;
  #next: string;

  constructor(text: string) {
    this.#text = text;
    this.#next = this.#scan();
  }

  peek(): string {
    return this.#next;
  }

  take(): string {
    const token = this.#next;
    if (token !== '') this.#next = this.#scan();
    return token;
  }

  #scan(): string {
    return this.#pattern.exec(this.#text)?.[1] ?? '';
  }
}

function isIdentifier(token: string): boolean {
  return token !== '' && !/^[=!(),<>]/.test(token);
}

function startsRequirement(token: string): boolean {
  return token === '!' || isIdentifier(token);
}

function found(token: string, expectation: string): LabelSelectorError {
  return new LabelSelectorError(`found '${token}'${expectation}`);
}

function unparsable(problem: string): LabelSelectorError {
  return new LabelSelectorError(`unable to parse requirement: ${problem}`);
}
