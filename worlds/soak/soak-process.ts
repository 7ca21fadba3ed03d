// Lives through a month, and tells what there is more of at its end than at its beginning. Exit code 1 if anything is.
import { SECOND } from '@karpenter-ts/runtime';
import { SABOTAGES } from '../faults/sabotage.ts';
import { findGrowth, takeCensus } from './census.ts';
import { Month } from './month.ts';

const DAY = 24;
/** At noon of the second day all memories that end by themselves are as full as they get; noon is like noon. */
const FIRST_LOOK = DAY + DAY / 2;
const LAST_LOOK = 29 * DAY + DAY / 2;
/** A leak of one a day is found; one of which there are some more or less at any time is not taken for one. */
const ALLOWED = 25;
const MOST_TOLD = 25;

const [days = '30', sabotage = ''] = process.argv.slice(2);
const lastLook = Math.min(LAST_LOOK, Number(days) * DAY - DAY / 2);
const started = performance.now();
const month = await Month.begin(SABOTAGES[sabotage]);
say('all NodeClaims are there');
await month.pass(FIRST_LOOK);
const first = JSON.stringify(await count('day 2')); // as text, so that it is not counted itself
for (let hour = FIRST_LOOK; hour < lastLook; hour += DAY) {
  await month.pass(DAY);
  if ((hour - FIRST_LOOK) % (7 * DAY) === 0) say(`day ${Math.ceil((hour + DAY) / DAY)}`);
}
const last = await count(`day ${Math.ceil(lastLook / DAY)}`);
const grown = findGrowth(new Map(JSON.parse(first) as typeof last), new Map(last), ALLOWED);
for (const { what, before, after } of grown.slice(0, MOST_TOLD)) say(`GROWS from ${before} to ${after}: ${what}`);
for (const failure of month.failures.slice(0, MOST_TOLD)) say(`FAILED: ${failure}`);
const isFine = grown.length === 0 && month.failures.length === 0;
say(isFine ? 'nothing grows' : `${grown.length} sorts grow, ${month.failures.length} failures`);
process.exit(isFine ? 0 : 1);

async function count(when: string): Promise<readonly (readonly [what: string, count: number])[]> {
  const census = Array.from(await takeCensus());
  const total = census.reduce((sum, [, one]) => sum + one, 0);
  say(`${when}: ${total} things of ${census.length} sorts`);
  return census;
}

function say(text: string): void {
  process.stdout.write(`${((performance.now() - started) / SECOND).toFixed(0).padStart(4)} s  ${text}\n`);
}
