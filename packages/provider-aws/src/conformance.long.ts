import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { conformance, reportConformance, SEEDED_FAULTS } from '@karpenter-ts/cloudprovider/testing';
import { awsSubject } from './testing/aws-subject.ts';

/** What the provider does not do, as upstream's does not: both are a should. */
const NOT_MET: ReadonlySet<string> = new Set(['launch.idempotent', 'types.own-labels']);

suite('an AWS provider with one fault fails exactly the test of that obligation', () => {
  for (const [id, seed] of Object.entries(SEEDED_FAULTS)) {
    test(`a provider that breaks ${id}`, async () => {
      const report = await reportConformance(conformance(async () => seed(await awsSubject())));
      const failed = report.tests.filter(({ result }) => result === 'failed').map((one) => one.id);
      assert.deepEqual(
        failed.filter((one) => one === id || !NOT_MET.has(one)),
        [id],
      );
    });
  }
});
