import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { Rng } from './rng.ts';
import type { FuzzKind } from './fuzz-kind.ts';

/** Text that is read as something: names, quantities, durations, choices, and what only looks like them. */
const TEXTS: readonly string[] = [
  '', 'a', 'b', 'Never', 'Always', 'TCP', 'Exists', 'In', 'NoSchedule', 'NoExecute', '10%', '150%', '-1', '1', '1h', '100m',
  '1Gi', '1e3', 'a b', 'A_b', '-a', 'a.b', 'a/b', 'example.com/a', 'http', '2026-01-01T00:00:00Z', 'é"\n<&>', 'a'.repeat(64),
]; // biome-ignore format: a table
const NUMBERS: readonly number[] = [0, 1, 2, -1, 7, 80, 65535, 65536, 2147483647, 2147483648, 1.5];
const OTHERS: readonly Json[] = [null, true, [], {}, [''], [1], { a: 'b' }, [{}]];

/** A body for `kind`: mostly admitted, at times with a fault or two. */
export function randomObject(kind: FuzzKind, place: JsonObject, rng: Rng): JsonObject {
  const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
  let object: JsonObject = {
    apiVersion,
    kind: kind.kind,
    metadata: { ...place, ...randomMetadata(rng) },
    ...rng.pick(kind.contents),
  };
  if (rng.percent(3)) object = { ...object, kind: rng.pick(['Pod', '', 'pod', 'Nothing']) };
  if (rng.percent(2)) object = { ...object, apiVersion: rng.pick(['v1', 'apps/v1', 'v2', '', '/']) };
  for (
    let faults = rng.weighted([
      [60, 0],
      [30, 1],
      [10, 2],
    ]);
    faults > 0;
    faults--
  )
    object = withFault(object, rng);
  return object;
}

function randomMetadata(rng: Rng): JsonObject {
  return {
    ...(rng.percent(60) && { labels: { app: rng.pick(['a', 'b']) } }),
    ...(rng.percent(10) && { annotations: { 'example.com/note': rng.pick(TEXTS) } }),
    ...(rng.percent(8) && { finalizers: [rng.pick(['example.com/hold', 'foregroundDeletion', 'orphan', 'x'])] }),
    ...(rng.percent(4) && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: rng.pick(['u', '']) }],
    }),
  };
}

/** The object with one member replaced, removed, or joined by one nobody knows. */
export function withFault(object: JsonObject, rng: Rng): JsonObject {
  const members = Object.keys(object).filter((name) => name !== 'apiVersion' && name !== 'kind');
  if (members.length === 0) return object;
  const name = rng.pick(members);
  return { ...object, [name]: spoil(object[name] as Json, rng) };
}

function spoil(value: Json, rng: Rng): Json {
  if (Array.isArray(value)) return spoilList(value as readonly Json[], rng);
  if (typeof value === 'object' && value !== null) return spoilObject(value as JsonObject, rng);
  return otherValue(value, rng);
}

/** Another value, of the same type unless the draw repeats the old one. */
function otherValue(value: Json, rng: Rng): Json {
  if (rng.percent(12)) return rng.pick<Json>([...TEXTS, ...NUMBERS, ...OTHERS]);
  if (typeof value === 'string') return rng.pick(TEXTS);
  if (typeof value === 'number') return rng.pick(NUMBERS);
  return typeof value === 'boolean' ? !value : rng.pick(OTHERS);
}

function spoilList(list: readonly Json[], rng: Rng): Json {
  const [first] = list;
  if (first === undefined || rng.percent(8)) return rng.pick(OTHERS);
  if (rng.percent(15)) return [...list, first]; // twice the same
  const index = rng.below(list.length);
  return list.map((item, at) => (at === index ? spoil(item, rng) : item));
}

function spoilObject(object: JsonObject, rng: Rng): Json {
  const names = Object.keys(object);
  if (names.length === 0 || rng.percent(4)) return rng.pick(OTHERS);
  const name = rng.pick(names);
  const { [name]: member, ...rest } = object;
  if (rng.percent(12)) return rest;
  if (rng.percent(6)) return { ...object, [rng.pick(['unknown', 'Name', ''])]: rng.pick(TEXTS) };
  return { ...rest, [name]: spoil(member as Json, rng) };
}
