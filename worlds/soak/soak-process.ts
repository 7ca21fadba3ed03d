// Runs a month of virtual time and prints which counts are larger at its end than at its beginning. The exit code is 1
// if any is.
import { SECOND } from '@karpenter-ts/runtime';
import { SEEDED_BUGS } from '../faults/seeded-bug.ts';
import { findGrowth, countHeap } from './heap-counts.ts';
import { Month } from './month.ts';

const DAY = 24;
/**
 * The hour of the day at whose end things are counted. Pods that fit nowhere come at its beginning: their events make the
 * recorder forget those of the hour of consolidation, which it does only when there are new ones.
 */
const COUNTED = DAY / 2 + 1;
/** By then of the second day all caches with an expiry are full. */
const FIRST_COUNT = DAY + COUNTED;
const LAST_COUNT = 29 * DAY + COUNTED;
/** Finds a leak of one entry a day, and does not take the ups and downs of a busy container for one. */
const ALLOWED = 25;
const MOST_PRINTED = 25;

const [days = '30', bug = ''] = process.argv.slice(2);
const lastCount = Math.min(LAST_COUNT, (Number(days) - 1) * DAY + COUNTED);
const started = performance.now();
const month = await Month.begin(SEEDED_BUGS[bug]);
say('all NodeClaims are there');
await month.pass(FIRST_COUNT);
const first = JSON.stringify(await count('day 2')); // as text, so that it is not counted itself
for (let hour = FIRST_COUNT; hour < lastCount; hour += DAY) {
  await month.pass(DAY);
  if ((hour - FIRST_COUNT) % (7 * DAY) === 0) say(`day ${Math.ceil((hour + DAY) / DAY)}`);
}
const last = await count(`day ${Math.ceil(lastCount / DAY)}`);
const grown = findGrowth(new Map(JSON.parse(first) as typeof last), new Map(last), ALLOWED);
for (const { what, before, after } of grown.slice(0, MOST_PRINTED)) say(`GROWS from ${before} to ${after}: ${what}`);
for (const failure of month.failures.slice(0, MOST_PRINTED)) say(`FAILED: ${failure}`);
const isFine = grown.length === 0 && month.failures.length === 0;
say(isFine ? 'nothing grows' : `${grown.length} sorts grow, ${month.failures.length} failures`);
process.exit(isFine ? 0 : 1);

async function count(when: string): Promise<readonly (readonly [what: string, count: number])[]> {
  const counts = Array.from(await countHeap());
  const total = counts.reduce((sum, [, one]) => sum + one, 0);
  say(`${when}: ${total} things of ${counts.length} sorts`);
  return counts;
}

function say(text: string): void {
  process.stdout.write(`${((performance.now() - started) / SECOND).toFixed(0).padStart(4)} s  ${text}\n`);
}
