import { createRequire } from 'node:module';
import { goQuote, qualifiedNameProblems } from '@karpenter-ts/kubernetes';
import type * as Yaml from 'yaml';
import { type OptionType, type ParseResult, same } from '@karpenter-ts/runtime';

/** A spread that pods without one of their own are given. */
interface DefaultConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway';
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: 'Honor' | 'Ignore';
  readonly nodeTaintsPolicy?: 'Honor' | 'Ignore';
}

/** What the cluster's own scheduler is configured to do, so that we plan for the same. */
export interface SchedulerConfig {
  readonly defaultConstraints: readonly DefaultConstraint[];
}

/** No spread but what pods ask for. */
export const NO_SCHEDULER_CONFIG: SchedulerConfig = { defaultConstraints: [] };

/** YAML or JSON of the shape in spec 05 §1.5, read strictly; nothing for the empty text. */
export const schedulerConfig: OptionType<SchedulerConfig> = {
  placeholder: 'string',
  ...same(readConfig),
  show: ({ defaultConstraints }) =>
    goQuote(defaultConstraints.length === 0 ? '' : JSON.stringify({ podTopologySpread: { defaultConstraints } })),
};

class ConfigError extends Error {}

function readConfig(written: string): ParseResult<SchedulerConfig> {
  try {
    return { kind: 'value', value: written.trim() === '' ? NO_SCHEDULER_CONFIG : decodeConfig(written) };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return { kind: 'refused', problem: `parsing scheduler config, ${error.message}` };
  }
}

function decodeConfig(written: string): SchedulerConfig {
  const config = decodeObject(parseYaml(written), '', { podTopologySpread: 'object' });
  const spread = decodeObject(config['podTopologySpread'], 'podTopologySpread', { defaultConstraints: 'list' });
  const items = (spread['defaultConstraints'] ?? []) as readonly unknown[];
  const constraints = items.map((item, index) => decodeObject(item, place(index), CONSTRAINT_FIELDS));
  for (const [index, constraint] of constraints.entries()) {
    const problem = findProblem(constraint, constraints.slice(0, index));
    if (problem !== undefined) throw new ConfigError(`validating scheduler config, ${place(index)}${problem}`);
  }
  return { defaultConstraints: constraints as unknown as readonly DefaultConstraint[] };
}

function parseYaml(written: string): unknown {
  const yaml = createRequire(import.meta.url)('yaml') as typeof Yaml; // seventy files, for those who use it
  try {
    return yaml.parse(written);
  } catch (error) {
    if (error instanceof yaml.YAMLParseError) throw decodingError(error.message.split('\n')[0]!);
    throw error;
  }
}

const place = (index: number): string => `podTopologySpread.defaultConstraints[${index}]`;

type FieldKind = 'integer' | 'string' | 'object' | 'list';

/** All fields of a TopologySpreadConstraint: those that may not be used here are refused by name, others as unknown. */
const CONSTRAINT_FIELDS = {
  maxSkew: 'integer',
  topologyKey: 'string',
  whenUnsatisfiable: 'string',
  minDomains: 'integer',
  nodeAffinityPolicy: 'string',
  nodeTaintsPolicy: 'string',
  labelSelector: 'object',
  matchLabelKeys: 'list',
} as const satisfies Record<string, FieldKind>;

/** The members of an object that has no others than `fields`, each of its kind; null is the same as absent. */
function decodeObject(
  value: unknown,
  path: string,
  fields: Readonly<Record<string, FieldKind>>,
): Record<string, unknown> {
  if (value === undefined || value === null) return {};
  if (kindOf(value) !== 'object') throw decodingError(`${path || 'the configuration'} must be an object`);
  const members: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    const kind = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (kind === undefined) throw decodingError(`unknown field ${goQuote(path === '' ? name : `${path}.${name}`)}`);
    if (member === null) continue;
    if (kindOf(member) !== kind) throw decodingError(`${path}.${name} must be of type ${kind}`);
    members[name] = member;
  }
  return members;
}

function decodingError(detail: string): ConfigError {
  return new ConfigError(`decoding scheduler config, ${detail}`);
}

function kindOf(value: unknown): FieldKind | undefined {
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'object' && value !== null) return 'object';
  if (typeof value === 'string') return 'string';
  return Number.isInteger(value) ? 'integer' : undefined;
}

type Constraint = Readonly<Record<string, unknown>>;

/** What is wrong with a constraint, as the rest of a sentence that begins with its place. */
function findProblem(constraint: Constraint, earlier: readonly Constraint[]): string | undefined {
  const maxSkew = (constraint['maxSkew'] ?? 0) as number;
  const key = (constraint['topologyKey'] ?? '') as string;
  const when = (constraint['whenUnsatisfiable'] ?? '') as string;
  if (maxSkew <= 0) return '.maxSkew must be greater than 0';
  if (key === '') return '.topologyKey must be set';
  const problems = qualifiedNameProblems(key);
  if (problems.length > 0) return `.topologyKey ${goQuote(key)} is not a valid label name, ${problems.join('; ')}`;
  if (when !== 'DoNotSchedule' && when !== 'ScheduleAnyway') {
    return `.whenUnsatisfiable ${goQuote(when)} must be one of "DoNotSchedule" or "ScheduleAnyway"`;
  }
  if (constraint['labelSelector'] !== undefined) {
    return '.labelSelector must not be set, as selectors are deduced for each pod';
  }
  if (((constraint['matchLabelKeys'] ?? []) as readonly unknown[]).length > 0) {
    return '.matchLabelKeys must not be set, as it has no effect on default constraints';
  }
  const twin = earlier.findIndex((one) => one['topologyKey'] === key && one['whenUnsatisfiable'] === when);
  return twin < 0 ? undefined : ` is a duplicate of [${twin}], {${key}, ${when}}`;
}
