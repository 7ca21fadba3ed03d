/** A statement of a policy, in one form whatever way it was written. */
export interface PolicyStatement {
  /** Its Sid, or else its place in the document. */
  readonly name: string;
  readonly effect: 'Allow' | 'Deny';
  /** Patterns of actions: those named, or all but those named. */
  readonly actions: Patterns;
  readonly resources: Patterns;
  readonly conditions: readonly Condition[];
}

export interface Patterns {
  readonly patterns: readonly string[];
  readonly isExcluding: boolean;
}

/** One key that is compared by one operator with some values, any of which will do. */
export interface Condition {
  readonly operator: string;
  readonly key: string;
  readonly values: readonly string[];
}

export interface ReadPolicy {
  readonly statements: readonly PolicyStatement[];
  /** All that is wrong with the document, each with its place. */
  readonly problems: readonly string[];
}

/** Reads an identity-based policy that was parsed from JSON. `place` is where it stands in its file. */
export function readPolicy(document: unknown, place = ''): ReadPolicy {
  const problems: string[] = [];
  const at = (member: string): string => (place === '' ? member : `${place}.${member}`);
  if (!isObject(document)) return { statements: [], problems: [`${place || 'the document'}: is no policy`] };
  const version = document['Version'];
  if (version !== undefined && version !== '2012-10-17' && version !== '2008-10-17') {
    problems.push(`${at('Version')}: must be "2012-10-17"`);
  }
  const given = document['Statement'];
  if (given === undefined) return { statements: [], problems: [`${at('Statement')}: is missing`] };
  const statements = (Array.isArray(given) ? given : [given]).flatMap((one: unknown, index) => {
    const where = Array.isArray(given) ? `${at('Statement')}[${index}]` : at('Statement');
    const read = readStatement(one, where, problems);
    return read === undefined ? [] : [read];
  });
  return { statements, problems };
}

const MEMBERS: ReadonlySet<string> = new Set([
  'Sid',
  'Effect',
  'Action',
  'NotAction',
  'Resource',
  'NotResource',
  'Condition',
]);

function readStatement(statement: unknown, place: string, problems: string[]): PolicyStatement | undefined {
  if (!isObject(statement)) {
    problems.push(`${place}: is no statement`);
    return undefined;
  }
  const before = problems.length;
  for (const member of Object.keys(statement)) {
    if (!MEMBERS.has(member)) problems.push(`${place}.${member}: is no member of a statement`);
  }
  const { Effect: effect, Sid: sid } = statement;
  if (effect !== 'Allow' && effect !== 'Deny') problems.push(`${place}.Effect: must be "Allow" or "Deny"`);
  const actions = readPatterns(statement, 'Action', place, problems);
  for (const pattern of actions.patterns) {
    if (pattern !== '*' && !/^[^:]+:[^:]+$/.test(pattern)) {
      problems.push(`${place}.Action: "${pattern}" is no action, such as "ec2:RunInstances"`);
    }
  }
  const resources = readPatterns(statement, 'Resource', place, problems);
  const conditions = readConditions(statement['Condition'], `${place}.Condition`, problems);
  if (problems.length > before) return undefined;
  const name = typeof sid === 'string' && sid !== '' ? sid : place;
  return { name, effect: effect as 'Allow' | 'Deny', actions, resources, conditions };
}

function readPatterns(
  statement: Readonly<Record<string, unknown>>,
  member: 'Action' | 'Resource',
  place: string,
  problems: string[],
): Patterns {
  const [named, excluded] = [statement[member], statement[`Not${member}`]];
  if ((named === undefined) === (excluded === undefined)) {
    problems.push(`${place}: needs either ${member} or Not${member}`);
    return { patterns: [], isExcluding: false };
  }
  const isExcluding = named === undefined;
  const where = `${place}.${isExcluding ? 'Not' : ''}${member}`;
  return { patterns: readTexts(named ?? excluded, where, problems), isExcluding };
}

function readTexts(value: unknown, place: string, problems: string[]): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isText = (one: unknown): one is string => typeof one === 'string';
  if (values.length > 0 && values.every(isText)) return values;
  problems.push(`${place}: must be a string or a list of strings`);
  return [];
}

function readConditions(block: unknown, place: string, problems: string[]): readonly Condition[] {
  if (block === undefined) return [];
  if (!isObject(block)) {
    problems.push(`${place}: must map operators to keys`);
    return [];
  }
  return Object.entries(block).flatMap(([operator, keys]) => {
    if (!isOperator(operator)) {
      problems.push(`${place}.${operator}: is no operator of conditions`);
      return [];
    }
    if (!isObject(keys)) {
      problems.push(`${place}.${operator}: must map keys to values`);
      return [];
    }
    return Object.entries(keys).map(([key, values]) => ({
      operator,
      key,
      values: readTexts(scalarTexts(values), `${place}.${operator}.${key}`, problems),
    }));
  });
}

/** Numbers and booleans stand for their texts. */
function scalarTexts(values: unknown): unknown {
  const text = (value: unknown): unknown =>
    typeof value === 'boolean' || typeof value === 'number' ? String(value) : value;
  return Array.isArray(values) ? values.map(text) : text(values);
}

const OPERATOR =
  /^(ForAllValues:|ForAnyValue:)?(String(Not)?(Equals(IgnoreCase)?|Like)|Arn(Not)?(Equals|Like)|Bool|Null|Numeric(Not)?(Equals|LessThan(Equals)?|GreaterThan(Equals)?)|Date(Not)?(Equals|LessThan(Equals)?|GreaterThan(Equals)?)|(Not)?IpAddress|BinaryEquals)(IfExists)?$/;

function isOperator(operator: string): boolean {
  return OPERATOR.test(operator);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
