import { CAPACITY_TYPE_LABEL, REQUIREMENT_OPERATORS, type RequirementSpec, ZONE_LABEL } from '@karpenter-ts/apis';
import { findQuantity, type ResourceList } from '@karpenter-ts/kubernetes';
import type { Offering } from '@karpenter-ts/scheduling';
import { isOneOf, type TypeDescription } from './type-description.ts';

/** A catalogue that cannot be used. The message names what is wrong with it, and where. */
export class CatalogueError extends Error {
  override readonly name = 'CatalogueError';
}

/**
 * The types a custom file describes (spec 03 §17.3). As in Go, keys may be written in any case. Offerings may also be
 * written as upstream's example has them, with `zone`, `capacityType` and `price`. Throws `CatalogueError`.
 */
export function readCatalogueFile(text: string): readonly TypeDescription[] {
  const problems: string[] = [];
  const types = members(parse(text), 'the file', problems).map((entry, index) =>
    readType(entry, `[${index}]`, problems),
  );
  if (problems.length > 0) throw new CatalogueError(`invalid instance types file: ${summarize(problems)}`);
  return types;
}

type Problems = string[];

const MOST_PROBLEMS = 10;

function summarize(problems: Problems): string {
  const rest = problems.length - MOST_PROBLEMS;
  return problems.slice(0, MOST_PROBLEMS).join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new CatalogueError(`could not parse JSON data: ${(error as Error).message}`, { cause: error });
  }
}

function readType(entry: unknown, place: string, problems: Problems): TypeDescription {
  const architecture = field(entry, 'architecture');
  const systems = field(entry, 'operatingSystems');
  const name = field(entry, 'name');
  return {
    name: textOf(name, `${place}.name`, problems),
    architecture: textOf(architecture, `${place}.architecture`, problems),
    operatingSystems: texts(systems, `${place}.operatingSystems`, problems),
    resources: readResources(field(entry, 'resources'), `${place}.resources`, problems),
    offerings: members(field(entry, 'offerings'), `${place}.offerings`, problems).map((offering, index) =>
      readOffering(offering, { place: `${place}.offerings[${index}]`, type: String(name), problems }),
    ),
    lastResort: readMark(field(entry, 'lastResort'), `${place}.lastResort`, problems),
  };
}

/** Ours: upstream's files have no such key. */
function readMark(value: unknown, place: string, problems: Problems): boolean {
  if (value !== undefined && typeof value !== 'boolean') problems.push(`${place} must be true or false`);
  return value === true;
}

function readResources(value: unknown, place: string, problems: Problems): ResourceList {
  const resources: Record<string, string> = {};
  for (const [name, amount] of Object.entries(isRecord(value) ? value : {})) {
    const isWritten = typeof amount === 'string' || typeof amount === 'number';
    if (!isWritten || findQuantity(amount) === undefined) problems.push(`${place}.${name} must be a quantity`);
    else resources[name] = String(amount);
  }
  for (const name of ['cpu', 'memory']) {
    if (resources[name] === undefined) problems.push(`${place}.${name} is missing`);
  }
  return { cpu: '0', memory: '0', ...resources };
}

interface OfferingPlace {
  readonly place: string;
  readonly type: string;
  readonly problems: Problems;
}

function readOffering(entry: unknown, { place, type, problems }: OfferingPlace): Offering {
  const price = field(entry, 'price');
  const isPrice = typeof price === 'number' && price >= 0;
  if (!isPrice) problems.push(`${place}.Price must be a number that is not below 0`);
  const requirements = readPlace(entry, place, problems);
  for (const key of [CAPACITY_TYPE_LABEL, ZONE_LABEL]) {
    const found = requirements.find((one) => one.key === key);
    if (found?.operator !== 'In' || found.values?.length !== 1) {
      problems.push(`${place}.Requirements must say ${key} In one value`);
    }
  }
  return {
    requirements,
    pricePerHour: isPrice ? price : 0,
    available: true, // whatever the file says, as upstream
    ...readReservation(entry, requirements, type),
  };
}

function readPlace(entry: unknown, place: string, problems: Problems): readonly RequirementSpec[] {
  const [zone, capacityType] = [field(entry, 'zone'), field(entry, 'capacityType')];
  const listed = field(entry, 'requirements');
  if (listed === undefined && typeof zone === 'string' && typeof capacityType === 'string') {
    return [isOneOf(CAPACITY_TYPE_LABEL, capacityType), isOneOf(ZONE_LABEL, zone)];
  }
  return members(listed, `${place}.Requirements`, problems).map((requirement, index) =>
    readRequirement(requirement, `${place}.Requirements[${index}]`, problems),
  );
}

const OPERATORS: ReadonlySet<unknown> = new Set(REQUIREMENT_OPERATORS);

function readRequirement(entry: unknown, place: string, problems: Problems): RequirementSpec {
  const operator = field(entry, 'operator');
  if (!OPERATORS.has(operator)) problems.push(`${place}.operator must be one of ${REQUIREMENT_OPERATORS.join(', ')}`);
  return {
    key: textOf(field(entry, 'key'), `${place}.key`, problems),
    operator: String(operator),
    values: texts(field(entry, 'values') ?? [], `${place}.values`, problems),
  };
}

/** Upstream's KWOK has no label for reservations: those of one type and zone are taken as one. */
function readReservation(
  entry: unknown,
  requirements: readonly RequirementSpec[],
  type: string,
): Pick<Offering, 'reservation'> {
  const valueOf = (key: string) => requirements.find((one) => one.key === key)?.values?.[0];
  if (valueOf(CAPACITY_TYPE_LABEL) !== 'reserved') return {};
  const capacity = field(entry, 'reservationCapacity');
  return {
    reservation: { id: `${type}/${valueOf(ZONE_LABEL)}`, capacity: typeof capacity === 'number' ? capacity : 0 },
  };
}

/** As Go reads JSON: the key itself, else one that differs in case only. */
function field(entry: unknown, key: string): unknown {
  if (!isRecord(entry)) return undefined;
  if (Object.hasOwn(entry, key)) return entry[key];
  const found = Object.keys(entry).find((one) => one.toLowerCase() === key.toLowerCase());
  return found === undefined ? undefined : entry[found];
}

function textOf(value: unknown, place: string, problems: Problems): string {
  if (typeof value === 'string' && value !== '') return value;
  problems.push(`${place} must be a text`);
  return '';
}

function texts(value: unknown, place: string, problems: Problems): readonly string[] {
  return members(value, place, problems).map((one, index) => textOf(one, `${place}[${index}]`, problems));
}

function members(value: unknown, place: string, problems: Problems): readonly unknown[] {
  if (Array.isArray(value)) return value;
  problems.push(`${place} must be a list`);
  return [];
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
