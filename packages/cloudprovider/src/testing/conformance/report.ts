import type { ConformanceTest, Verdict } from './conformance.ts';

/** Verdicts on all obligations, as JSON. */
export interface ConformanceReport {
  /** No obligation of level `must` is broken. */
  readonly conforms: boolean;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly tests: readonly (Omit<ConformanceTest, 'run'> & Verdict)[];
}

/** Runs the tests one after the other. */
export async function reportConformance(tests: readonly ConformanceTest[]): Promise<ConformanceReport> {
  const verdicts: ConformanceReport['tests'][number][] = [];
  for (const { run, ...test } of tests) verdicts.push({ ...test, ...(await run()) });
  const count = (result: Verdict['result']): number => verdicts.filter((one) => one.result === result).length;
  return {
    conforms: !verdicts.some(({ level, result }) => level === 'must' && result === 'failed'),
    passed: count('passed'),
    failed: count('failed'),
    skipped: count('skipped'),
    tests: verdicts,
  };
}
