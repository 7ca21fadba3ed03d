import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { conformance, SEEDED_FAULTS, testConformance } from '@karpenter-ts/cloudprovider/testing';
import { awsSubject } from './testing/aws-subject.ts';

suite('the AWS provider conforms', () => {
  testConformance('aws', awsSubject);
});

// That such a provider fails no other test takes minutes to see: conformance.long.ts.
suite('an AWS provider with one fault fails the test of that obligation', () => {
  for (const [id, seed] of Object.entries(SEEDED_FAULTS)) {
    test(`a provider that breaks ${id}`, async () => {
      const tests = conformance(async () => seed(await awsSubject()));
      const verdict = await tests.find((one) => one.id === id)!.run();
      assert.equal(verdict.result, 'failed', JSON.stringify(verdict));
    });
  }
});
