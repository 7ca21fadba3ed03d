import { ENDING } from './ending.ts';
import { FAILING } from './failing.ts';
import { FINDING } from './finding.ts';
import { INSTANCE_TYPES } from './instance-types.ts';
import { LAUNCHING } from './launching.ts';
import { NODE_CLASSES } from './node-classes.ts';
import { Inconclusive, type Level, type Obligation } from './obligation.ts';
import { OFFERINGS } from './offerings.ts';
import { REGISTERING } from './registering.ts';
import { SHARING } from './sharing.ts';
import type { Subject } from './subject.ts';
import { ConformanceContext } from './conformance-context.ts';

/** Everything a provider owes Karpenter. docs/providers.md is generated from it. */
export const OBLIGATIONS: readonly Obligation[] = [
  ...LAUNCHING,
  ...REGISTERING,
  ...FINDING,
  ...ENDING,
  ...INSTANCE_TYPES,
  ...OFFERINGS,
  ...NODE_CLASSES,
  ...FAILING,
  ...SHARING,
];

/** What came of a test. */
export type Verdict =
  | { readonly result: 'passed' }
  /** The obligation is broken; the detail is its text and what was seen. */
  | { readonly result: 'failed'; readonly detail: string }
  /** Nothing was seen; the detail says why. */
  | { readonly result: 'skipped'; readonly detail: string };

/** One obligation, ready to be tested on a provider. */
export interface ConformanceTest {
  readonly id: string;
  readonly level: Level;
  /** The obligation in one sentence. */
  readonly text: string;
  /** Sets up a subject, looks, and takes it down again. Rejects only if the subject cannot be set up or taken down. */
  run(): Promise<Verdict>;
}

/** The tests of a provider. `setUp` is called for each, and makes a subject of its own. */
export function conformance(setUp: () => Promise<Subject>): readonly ConformanceTest[] {
  return OBLIGATIONS.map((obligation) => {
    const { id, level, text } = obligation;
    return { id, level, text, run: () => examine(obligation, setUp) };
  });
}

async function examine(obligation: Obligation, setUp: () => Promise<Subject>): Promise<Verdict> {
  const subject = await setUp();
  try {
    const missing = (obligation.needs ?? []).filter((hook) => subject.hooks[hook] === undefined);
    if (missing.length > 0) return { result: 'skipped', detail: `the subject cannot ${missing.join(', ')}` };
    await obligation.check(new ConformanceContext(subject));
    return { result: 'passed' };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    if (error instanceof Inconclusive) return { result: 'skipped', detail: seen };
    return { result: 'failed', detail: `${obligation.text} But: ${seen}` };
  } finally {
    await subject.stop();
  }
}
