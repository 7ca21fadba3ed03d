import { findLabelRestriction, normalizeLabelKey, type ProviderProfile } from '../names/provider-profile.ts';
import { REQUIREMENT_OPERATORS, type RequirementSpec } from '../requirements/requirement.ts';
import { labelValueProblems, parseInt64, qualifiedNameProblems } from '@karpenter-ts/kubernetes';
import { error, type Problem, warning } from './problem.ts';

/**
 * Problems of one requirement (spec 01 §2.3), its key read in its current spelling. All that is wrong with it is one
 * error, worded as upstream words it; values outside a closed set are a warning while others remain.
 */
export function validateRequirement(
  written: RequirementSpec,
  profile: ProviderProfile,
  path: string,
): readonly Problem[] {
  const requirement = normalized(written, profile);
  const faults = findFaults(requirement, profile);
  if (faults.length > 0) return [combineFaults(faults, path)];
  const known = splitKnownValues(requirement, profile);
  if (known === undefined || known.invalid.length === 0) return [];
  const message = `invalid values found for key ${requirement.key}: ${goList(known.invalid)}, proceeding with valid values`;
  return [warning(`${path}.values`, message)];
}

/** All that is wrong with a requirement wherever it is written, in upstream's words; empty when nothing is. */
export function requirementFaults(written: RequirementSpec, profile: ProviderProfile): readonly string[] {
  return findFaults(normalized(written, profile), profile).map(({ text }) => text);
}

/** The values of an In requirement that its key's closed set has and has not. */
export interface KnownValues {
  readonly known: ReadonlySet<string>;
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
}

/** `undefined` when the requirement does not list values, or any value will do. Expects a normalised key. */
export function splitKnownValues(requirement: RequirementSpec, profile: ProviderProfile): KnownValues | undefined {
  const known = profile.knownValues.get(requirement.key);
  if (known === undefined || requirement.operator !== 'In') return undefined;
  const values = requirement.values ?? [];
  return {
    known,
    valid: values.filter((value) => known.has(value)),
    invalid: values.filter((value) => !known.has(value)),
  };
}

/** What is wrong, and with which member of the requirement. */
interface Fault {
  readonly member: 'key' | 'operator' | 'values' | 'minValues';
  readonly text: string;
}

function normalized(written: RequirementSpec, profile: ProviderProfile): RequirementSpec {
  return { ...written, key: normalizeLabelKey(written.key, profile) };
}

function findFaults(requirement: RequirementSpec, profile: ProviderProfile): readonly Fault[] {
  return [
    ...operatorFaults(requirement),
    ...restrictionFaults(requirement, profile),
    ...knownValueFaults(requirement, splitKnownValues(requirement, profile)),
    ...syntaxFaults(requirement),
    ...inFaults(requirement),
    ...boundFaults(requirement),
  ];
}

function combineFaults(faults: readonly Fault[], path: string): Problem {
  const members = new Set(faults.map((fault) => fault.member));
  const [only] = members;
  const texts = faults.map((fault) => fault.text).join('; ');
  return error(members.size === 1 ? `${path}.${only}` : path, `invalid value: ${texts} in requirements, restricted`);
}

function operatorFaults({ key, operator }: RequirementSpec): readonly Fault[] {
  if ((REQUIREMENT_OPERATORS as readonly string[]).includes(operator)) return [];
  const text = `key ${key} has an unsupported operator ${operator} not in ${goList(REQUIREMENT_OPERATORS)}`;
  return [{ member: 'operator', text }];
}

function restrictionFaults({ key }: RequirementSpec, profile: ProviderProfile): readonly Fault[] {
  const text = findLabelRestriction(key, profile);
  return text === undefined ? [] : [{ member: 'key', text }];
}

function knownValueFaults(
  { key, values = [], minValues }: RequirementSpec,
  split: KnownValues | undefined,
): readonly Fault[] {
  if (split === undefined) return [];
  const known = [...split.known].sort();
  if (split.valid.length === 0) {
    const set = `map[${known.map((value) => `${value}:{}`).join(' ')}]`;
    const text = `no valid values found in ${goList(values)} for ${key}, expected one of: ${set}, got: ${goList(split.invalid)}`;
    return [{ member: 'values', text }];
  }
  const count = new Set(split.valid).size;
  if (minValues === undefined || count >= minValues) return [];
  const text =
    `not enough valid values found in ${goList(values)} for ${key}, ` +
    `expected at least ${minValues} valid values from: ${goList(known)}, got: ${count}`;
  return [{ member: 'values', text }];
}

function syntaxFaults({ key, values = [] }: RequirementSpec): readonly Fault[] {
  return [
    ...qualifiedNameProblems(key).map(
      (problem): Fault => ({ member: 'key', text: `key ${key} is not a qualified name, ${problem}` }),
    ),
    ...values.flatMap((value) =>
      labelValueProblems(value).map(
        (problem): Fault => ({ member: 'values', text: `invalid value ${value} for key ${key}, ${problem}` }),
      ),
    ),
  ];
}

/** Distinct values count: two equal ones can never become two different Nodes. (Upstream counts them twice.) */
function inFaults({ key, operator, values = [], minValues = 0 }: RequirementSpec): readonly Fault[] {
  if (operator !== 'In') return [];
  const faults: Fault[] = [];
  const start = `key ${key} with operator In must have`;
  if (values.length === 0) faults.push({ member: 'values', text: `${start} a value defined` });
  if (new Set(values).size < minValues) {
    const text = `${start} at least minimum number of values defined in 'values' field`;
    faults.push({ member: 'minValues', text });
  }
  return faults;
}

const BOUND_OPERATORS: ReadonlySet<string> = new Set(['Gt', 'Lt', 'Gte', 'Lte']);

function boundFaults({ key, operator, values = [] }: RequirementSpec): readonly Fault[] {
  if (!BOUND_OPERATORS.has(operator)) return [];
  const bound = values.length === 1 ? parseInt64(values[0]!) : undefined;
  if (typeof bound === 'bigint' && bound >= 0n) return [];
  const text = `key ${key} with operator ${operator} must have a single positive integer value`;
  return [{ member: 'values', text }];
}

/** A list as Go prints it. */
function goList(values: readonly string[]): string {
  return `[${values.join(' ')}]`;
}
