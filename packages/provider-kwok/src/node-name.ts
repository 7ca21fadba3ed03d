import type { SeededRng } from './seeded-rng.ts';

const FIRST_WORDS = ['amber', 'bright', 'cedar', 'dusty', 'ember', 'frost', 'golden', 'hollow', 'iron', 'jade'];
const SECOND_WORDS = ['badger', 'crane', 'drake', 'falcon', 'heron', 'lynx', 'otter', 'raven', 'tiger', 'wolf'];
const ALPHANUMERICS = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Leaves the rest of the name its room within the 253 characters Kubernetes allows. */
const LONGEST_CLAIM = 200;

/** `kwok-<claim>-<words>-<number>-<10 letters or digits>-<uint32>`: upstream's form (spec 03 §17.4). */
export function nodeName(claim: string, rng: SeededRng): string {
  const words = rng.pick(FIRST_WORDS) + rng.pick(SECOND_WORDS);
  const number = 1 + rng.below(9999);
  const letters = Array.from({ length: 10 }, () => rng.pick(ALPHANUMERICS)).join('');
  return `kwok-${claim.slice(0, LONGEST_CLAIM)}-${words}-${number}-${letters}-${rng.below(2 ** 32)}`;
}
