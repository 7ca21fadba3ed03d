import type { Json, JsonObject } from '@karpenter-ts/apis';
import type { Dice } from './dice.ts';
import type { FuzzKind } from './fuzz-kind.ts';

/** Text that is read as something: names, quantities, durations, choices, and what only looks like them. */
const TEXTS: readonly string[] = [
  '', 'a', 'b', 'Never', 'Always', 'TCP', 'Exists', 'In', 'NoSchedule', 'NoExecute', '10%', '150%', '-1', '1', '1h', '100m',
  '1Gi', '1e3', 'a b', 'A_b', '-a', 'a.b', 'a/b', 'example.com/a', 'http', '2026-01-01T00:00:00Z', 'é"\n<&>', 'a'.repeat(64),
]; // biome-ignore format: a table
const NUMBERS: readonly number[] = [0, 1, 2, -1, 7, 80, 65535, 65536, 2147483647, 2147483648, 1.5];
const OTHERS: readonly Json[] = [null, true, [], {}, [''], [1], { a: 'b' }, [{}]];

/** A body for `kind`: mostly admitted, at times with a fault or two. */
export function randomObject(kind: FuzzKind, place: JsonObject, dice: Dice): JsonObject {
  const apiVersion = kind.group === '' ? 'v1' : `${kind.group}/v1`;
  let object: JsonObject = {
    apiVersion,
    kind: kind.kind,
    metadata: { ...place, ...randomMetadata(dice) },
    ...dice.pick(kind.contents),
  };
  if (dice.percent(3)) object = { ...object, kind: dice.pick(['Pod', '', 'pod', 'Nothing']) };
  if (dice.percent(2)) object = { ...object, apiVersion: dice.pick(['v1', 'apps/v1', 'v2', '', '/']) };
  for (
    let faults = dice.weighted([
      [60, 0],
      [30, 1],
      [10, 2],
    ]);
    faults > 0;
    faults--
  )
    object = withFault(object, dice);
  return object;
}

function randomMetadata(dice: Dice): JsonObject {
  return {
    ...(dice.percent(60) && { labels: { app: dice.pick(['a', 'b']) } }),
    ...(dice.percent(10) && { annotations: { 'example.com/note': dice.pick(TEXTS) } }),
    ...(dice.percent(8) && { finalizers: [dice.pick(['example.com/hold', 'foregroundDeletion', 'orphan', 'x'])] }),
    ...(dice.percent(4) && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: dice.pick(['u', '']) }],
    }),
  };
}

/** The object with one member replaced, removed, or joined by one nobody knows. */
export function withFault(object: JsonObject, dice: Dice): JsonObject {
  const members = Object.keys(object).filter((name) => name !== 'apiVersion' && name !== 'kind');
  if (members.length === 0) return object;
  const name = dice.pick(members);
  return { ...object, [name]: spoil(object[name] as Json, dice) };
}

function spoil(value: Json, dice: Dice): Json {
  if (Array.isArray(value)) return spoilList(value as readonly Json[], dice);
  if (typeof value === 'object' && value !== null) return spoilObject(value as JsonObject, dice);
  return otherValue(value, dice);
}

/** Another value, of the same type unless the dice are bad. */
function otherValue(value: Json, dice: Dice): Json {
  if (dice.percent(12)) return dice.pick<Json>([...TEXTS, ...NUMBERS, ...OTHERS]);
  if (typeof value === 'string') return dice.pick(TEXTS);
  if (typeof value === 'number') return dice.pick(NUMBERS);
  return typeof value === 'boolean' ? !value : dice.pick(OTHERS);
}

function spoilList(list: readonly Json[], dice: Dice): Json {
  const [first] = list;
  if (first === undefined || dice.percent(8)) return dice.pick(OTHERS);
  if (dice.percent(15)) return [...list, first]; // twice the same
  const index = dice.below(list.length);
  return list.map((item, at) => (at === index ? spoil(item, dice) : item));
}

function spoilObject(object: JsonObject, dice: Dice): Json {
  const names = Object.keys(object);
  if (names.length === 0 || dice.percent(4)) return dice.pick(OTHERS);
  const name = dice.pick(names);
  const { [name]: member, ...rest } = object;
  if (dice.percent(12)) return rest;
  if (dice.percent(6)) return { ...object, [dice.pick(['unknown', 'Name', ''])]: dice.pick(TEXTS) };
  return { ...rest, [name]: spoil(member as Json, dice) };
}
