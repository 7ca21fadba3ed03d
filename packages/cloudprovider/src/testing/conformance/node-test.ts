import { test } from 'node:test';
import { conformance } from './conformance.ts';
import type { Subject } from './subject.ts';

/**
 * Registers the kit with node:test, one test for each obligation, named `<prefix> <id>: <text>`. A broken `should` is
 * shown as a todo, which does not fail the run.
 */
export function testConformance(prefix: string, setUp: () => Promise<Subject>): void {
  for (const { id, level, text, run } of conformance(setUp)) {
    test(`${prefix} ${id}: ${text}`, async (t) => {
      const verdict = await run();
      if (verdict.result === 'skipped') t.skip(verdict.detail);
      if (verdict.result !== 'failed') return;
      if (level === 'must') throw new Error(verdict.detail);
      t.todo(verdict.detail); // without an error, or the runner lists it under "failing tests"
    });
  }
}
