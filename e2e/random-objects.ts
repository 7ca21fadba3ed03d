import type { Json, JsonObject } from '@karpenter-ts/kubernetes';

/** Values that are often invalid: wrong types, limits, empty ones, and text that only looks right. */
const VALUES: readonly Json[] = [
  null, '', 'x', 'Never', '10%', '-1', '1h', 'a b', '@daily', 'karpenter.sh/nodepool', 'é"\n<&>', 'a'.repeat(400),
  0, 1, -1, 51, 101, 1.5, 2147483648, true, false, [], {}, [''], [null], [1], [{}], { a: 'b' }, { '': '' }, { cpu: true },
]; // biome-ignore format: a table

/** Mulberry32: small, seeded, good enough to choose with. */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** The object with one to three of its fields replaced, removed, or joined by unknown ones. */
export function mutate(object: JsonObject, random: () => number): JsonObject {
  let mutated: Json = object;
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) mutated = mutateOnce(mutated, random, 0);
  return mutated as JsonObject;
}

function mutateOnce(value: Json, random: () => number, depth: number): Json {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  const root = random() < 0.9 ? 'spec' : 'metadata';
  const inner = entries.filter(([key]) => depth > 0 || key === root);
  if (depth === 0 && inner.length === 0) return value;
  if (inner.length === 0 || (depth > 1 && random() < 0.3)) return pick(VALUES);
  const [key, member] = pick(inner);
  const fate = depth > 0 ? random() : 1;
  if (Array.isArray(value)) {
    if (fate < 0.2) return [...value, pick(VALUES)];
    return value.map((item: Json, index) => (index === Number(key) ? mutateOnce(item, random, depth + 1) : item));
  }
  const { [key]: _, ...others } = value as JsonObject;
  if (fate < 0.1) return others;
  if (fate < 0.13) return { ...(value as JsonObject), unknown: pick(VALUES) };
  return { ...others, [key]: mutateOnce(member as Json, random, depth + 1) };
}
