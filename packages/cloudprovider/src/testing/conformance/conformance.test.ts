import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { OBLIGATIONS, conformance } from './conformance.ts';
import { type FakeSubject, fakeSubject } from './fake-subject.ts';
import { testConformance } from './node-test.ts';
import { reportConformance } from './report.ts';
import { FAKE_FAULTS } from './fake-faults.ts';
import type { Subject } from './subject.ts';

suite('09/104 the fake provider conforms', () => {
  testConformance('fake', fakeSubject);
});

suite('09/105 a provider with one fault fails exactly the test of that obligation', () => {
  for (const [id, seed] of Object.entries(FAKE_FAULTS)) {
    test(`a provider that breaks ${id}`, async () => {
      const report = await reportConformance(conformance(async () => seed(await fakeSubject())));
      const failed = report.tests.filter(({ result }) => result === 'failed');
      assert.deepEqual(
        failed.map((one) => one.id),
        [id],
      );
      const { text, level } = failed[0]!;
      assert.ok('detail' in failed[0]! && failed[0].detail.startsWith(text));
      assert.equal(report.conforms, level === 'should');
    });
  }

  test('every obligation has such a provider', () => {
    assert.deepEqual(Object.keys(FAKE_FAULTS).sort(), OBLIGATIONS.map(({ id }) => id).sort());
  });
});

test('the report counts verdicts and can be written as JSON', async () => {
  const withoutHooks = async (): Promise<Subject> => ({ ...(await fakeSubject()), hooks: {} });
  const report = await reportConformance(conformance(withoutHooks));
  const needy = OBLIGATIONS.filter(({ needs }) => needs !== undefined);
  assert.deepEqual([report.failed, report.skipped, report.conforms], [0, needy.length, true]);
  assert.equal(report.passed + report.skipped, OBLIGATIONS.length);
  assert.deepEqual(JSON.parse(JSON.stringify(report)), report);
  assert.deepEqual(
    report.tests.find(({ id }) => id === 'register.taint'),
    {
      id: 'register.taint',
      level: 'must',
      text: OBLIGATIONS.find(({ id }) => id === 'register.taint')!.text,
      result: 'skipped',
      detail: 'the subject cannot findNode',
    },
  );
});

test('a subject is taken down after its test, whatever came of it', async () => {
  let running = 0;
  const counted = async (): Promise<FakeSubject> => {
    running++;
    return { ...(await fakeSubject()), stop: async () => void running-- };
  };
  await reportConformance(conformance(counted));
  assert.equal(running, 0);
});
