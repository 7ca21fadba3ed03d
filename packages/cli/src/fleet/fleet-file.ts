// Fleet files: all that planning new nodes needs in one JSON document, so that two engines can plan the same.
import { examine, type FieldPath } from '@karpenter-ts/apis';
import { goQuote, type JsonObject } from '@karpenter-ts/kubernetes';
import { podName } from '@karpenter-ts/scheduling';
import { FLEET } from './fleet-schema.ts';
import { type Fleet, type FleetContent, toFleet } from './fleet-snapshot.ts';
import { findSyntaxError, locateFields, MAX_DEPTH, type Position } from './json-position.ts';
import { findBadQuantities } from './quantity-fields.ts';

/** One thing wrong with a fleet file, and where. */
interface FleetProblem extends Position {
  /** As `nodePools[0].spec.weight`; empty when it is about the whole file. */
  readonly field: string;
  readonly message: string;
}

/** A fleet, or what is wrong with its file in the order of the lines. */
export type ReadFleet = { readonly fleet: Fleet } | { readonly problems: readonly FleetProblem[] };

/** Reads a fleet file. What an API server would refuse is refused in its words. */
export function readFleet(text: string): ReadFleet {
  const raw = findObject(text);
  if (raw === undefined) {
    const position = findSyntaxError(text) ?? { line: 1, column: 1 };
    return { problems: [{ ...position, field: '', message: 'is not a JSON object' }] };
  }
  if (isDeeperThan(raw, MAX_DEPTH)) {
    const position = findSyntaxError(text)!; // which is where that gives up
    return { problems: [{ ...position, field: '', message: 'is nested too deeply to be a fleet' }] };
  }
  const { decoding, errors, object } = examine({ ...raw, metadata: { name: 'fleet' } }, FLEET);
  const mistakes = [...decoding, ...errors.filter(({ path }) => path.length > 0)];
  const content: unknown = object;
  const problems = mistakes.length > 0 ? mistakes : findMistakes(content as FleetContent); // the schema holds: so do its types
  if (problems.length === 0) return { fleet: toFleet(content as FleetContent) };
  return { problems: locate(problems, text).sort(byPosition) };
}

interface Mistake {
  readonly path: FieldPath;
  readonly message: string;
}

function findObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** Without recursion, which is what such a value would exhaust. */
function isDeeperThan(value: object, depth: number): boolean {
  let level: object[] = [value];
  for (let reached = 0; level.length > 0; reached++) {
    if (reached > depth) return true;
    level = level.flatMap((one) =>
      Object.values(one).filter((member) => typeof member === 'object' && member !== null),
    );
  }
  return false;
}

/** What no schema says. */
function findMistakes(content: FleetContent): readonly Mistake[] {
  return [...findRepetitions(content), ...findBadQuantities(content)];
}

/** A plan names types, pools, nodes and pods, so no two of a kind may have one name. */
function findRepetitions({ catalogue, nodePools, pods, existing = [] }: FleetContent): readonly Mistake[] {
  return [
    ...repeated(
      catalogue.map(({ name }) => name),
      (index) => ['catalogue', index, 'name'],
    ),
    ...repeated(
      nodePools.map(({ metadata }) => metadata.name),
      (index) => ['nodePools', index, 'metadata', 'name'],
    ),
    ...repeated(
      existing.map(({ name }) => name),
      (index) => ['existing', index, 'name'],
    ),
    ...repeated(pods.map(podName), (index) => ['pods', index, 'metadata', 'name']),
  ];
}

function repeated(names: readonly string[], pathTo: (index: number) => FieldPath): readonly Mistake[] {
  const seen = new Set<string>();
  return names.flatMap((name, index) => {
    if (seen.has(name)) return { path: pathTo(index), message: `Duplicate value: ${goQuote(name)}` };
    seen.add(name);
    return [];
  });
}

function locate(problems: readonly Mistake[], text: string): FleetProblem[] {
  const positions = locateFields(
    text,
    problems.map(({ path }) => path),
  );
  return problems.map(({ path, message }, i) => ({ field: fieldName(path), message, ...positions[i]! }));
}

function fieldName(path: FieldPath): string {
  const text = path.map((segment) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`)).join('');
  return text.replace(/^\./, '');
}

function byPosition(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}
