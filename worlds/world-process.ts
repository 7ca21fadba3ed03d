// Runs worlds for whoever sends their names, one after the other: virtual time is a matter of the whole process.
import { planOf } from './plan/named-plan.ts';
import { runWorld, type Tally } from './run-world.ts';
import { SEEDED_BUGS } from './faults/seeded-bug.ts';
import type { Violation } from './invariants/violation.ts';

/** What is sent back for each. */
export interface WorldReport {
  readonly name: string;
  readonly violations: readonly Violation[];
  readonly tally: Tally;
}

const [bug = ''] = process.argv.slice(2);

process.on('message', (name: string) => {
  void report(name).then((done) => process.send?.(done));
});

process.on('disconnect', () => process.exit()); // nobody is left to report to

async function report(name: string): Promise<WorldReport> {
  const forgotten: Violation[] = [];
  const onForgotten = (reason: unknown): void => {
    const detail = reason instanceof Error ? (reason.stack ?? reason.message) : String(reason);
    forgotten.push({ invariant: 'crash', detail: `a failed promise nobody waits for: ${detail}` });
  };
  process.on('unhandledRejection', onForgotten);
  const { violations, tally } = await runWorld(planOf(name), { bug: SEEDED_BUGS[bug] });
  process.off('unhandledRejection', onForgotten);
  return { name, violations: [...violations, ...forgotten], tally };
}
