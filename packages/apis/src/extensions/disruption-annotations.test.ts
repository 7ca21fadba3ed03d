import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatLabelSelector } from '@karpenter-ts/kubernetes';
import { CONSOLIDATION_METHODS } from './consolidation-annotations.ts';
import { disruptionSettings, type DisruptionFlags, UPSTREAM_DISRUPTION } from './disruption-settings.ts';
import { problemOf } from './extension-annotation.ts';
import * as consolidation from './consolidation-annotations.ts';
import * as expiration from './expiration-annotations.ts';
import * as replacement from './replacement-annotations.ts';

const FLAGS: DisruptionFlags = {
  extensions: 'all',
  consolidationMaxReplacements: 1,
  consolidationMinSavings: { part: 0, perHour: 0 },
  expirationPolicy: 'Forceful',
};

const pool = (annotations: Readonly<Record<string, string>>) => ({
  metadata: {
    name: 'default',
    annotations: Object.fromEntries(
      Object.entries(annotations).map(([key, text]) => [`karpenter-ts.dev/${key}`, text]),
    ),
  },
});

const settings = (annotations: Readonly<Record<string, string>>, flags: Partial<DisruptionFlags> = {}) =>
  disruptionSettings(pool(annotations), { ...FLAGS, ...flags });

const KNOWN = [...Object.values(consolidation), ...Object.values(expiration), ...Object.values(replacement)].filter(
  (one) => typeof one === 'object' && 'instead' in one,
);

/** What is wrong with the one annotation given. */
function problem(key: string, text: string): string | undefined {
  const annotation = KNOWN.find((one) => one.key === `karpenter-ts.dev/${key}`);
  assert.ok(annotation, key);
  return problemOf(annotation, pool({ [key]: text }));
}

const MINUTE = 60_000;

test('09/113 a NodePool without annotations is disrupted as upstream does it', () => {
  assert.deepEqual(settings({}), UPSTREAM_DISRUPTION);
  const { maxReplacements, minSavings, consolidationMethods, waits, minNodeAge } = UPSTREAM_DISRUPTION;
  assert.equal(maxReplacements, 1);
  assert.deepEqual(minSavings, { part: 0, perHour: 0 });
  assert.equal(consolidationMethods.size, 5);
  assert.deepEqual(waits, { empty: undefined, underutilized: undefined });
  assert.equal(minNodeAge, 0);
  assert.equal(UPSTREAM_DISRUPTION.expirationPolicy, 'Forceful');
  assert.equal(UPSTREAM_DISRUPTION.expirationJitter, 0);
});

test('an annotation wins over the flag, and the flag over the default', () => {
  const flags = { consolidationMaxReplacements: 3, consolidationMinSavings: { part: 0.1, perHour: 0 } };
  assert.equal(settings({}, flags).maxReplacements, 3);
  assert.equal(settings({ 'consolidation-max-replacements': '2' }, flags).maxReplacements, 2);
  assert.deepEqual(settings({}, flags).minSavings, { part: 0.1, perHour: 0 });
  assert.deepEqual(settings({ 'min-savings': '0.05/h' }, flags).minSavings, { part: 0, perHour: 0.05 });
  assert.equal(settings({}, { expirationPolicy: 'Graceful' }).expirationPolicy, 'Graceful');
  const forceful = settings({ 'expiration-policy': 'Forceful' }, { expirationPolicy: 'Graceful' });
  assert.equal(forceful.expirationPolicy, 'Forceful');
});

test('09/117 an extension that is off reads neither annotations nor its flag', () => {
  const annotations = { 'consolidation-max-replacements': '2', 'min-savings': '10%', 'min-node-age': '1h' };
  const flags = { extensions: new Set(['B4']), consolidationMaxReplacements: 3, expirationPolicy: 'Graceful' } as const;
  assert.deepEqual(settings(annotations, flags), { ...UPSTREAM_DISRUPTION, minNodeAge: 60 * MINUTE });
});

test('every value is read', () => {
  assert.deepEqual(settings({ 'min-savings': ' 10% , 0.05/h' }).minSavings, { part: 0.1, perHour: 0.05 });
  assert.equal(settings({ 'min-savings-delete': 'true' }).minSavingsDelete, true);
  assert.equal(settings({ 'split-min-savings': '20%' }).splitMinSavings, 0.2);
  assert.deepEqual(
    [...settings({ 'consolidation-methods': 'empty, multi-delete' }).consolidationMethods],
    ['empty', 'multi-delete'],
  );
  assert.deepEqual(settings({ 'consolidate-after': 'empty=1m, underutilized=Never' }).waits, {
    empty: MINUTE,
    underutilized: 'Never',
  });
  assert.deepEqual(settings({ 'consolidate-after': 'empty=0s' }).waits, { empty: 0, underutilized: undefined });
  assert.equal(settings({ 'expiration-deadline': '24h' }).expirationDeadline, 24 * 60 * MINUTE);
  assert.equal(settings({ 'expiration-deadline': '0s' }).expirationDeadline, 'None');
  assert.equal(settings({ 'expiration-jitter': '20%' }).expirationJitter, 0.2);
  const { budgetTimeZone } = settings({ 'budget-time-zone': 'America/New_York' });
  assert.equal(budgetTimeZone === 'Unreadable' || budgetTimeZone?.name, 'America/New_York');
});

test('ignored pods are those of Jobs, those a selector matches, or both', () => {
  const read = (text: string) => {
    const { jobs, selector } = settings({ 'consolidate-after-ignore': text }).ignoredPods;
    return [jobs, selector && formatLabelSelector(selector)];
  };
  assert.deepEqual(read('jobs'), [true, undefined]);
  assert.deepEqual(read('selector:tier in (web,api),x=y'), [false, 'tier in (api,web),x=y']);
  assert.deepEqual(read('jobs, selector:x=y,!z'), [true, 'x=y,!z']);
});

test('09/118 a bad control of disruption stops it, and a bad one of purchases falls back to upstream', () => {
  const KEY = 'karpenter-ts.dev/';
  assert.equal(
    problem('min-savings', '10'),
    `${KEY}min-savings: "10" is neither a percentage such as 10% nor an amount per hour such as 0.05/h; no node is replaced to save money`,
  );
  assert.equal(settings({ 'min-savings': '10' }).minSavings.part, Number.POSITIVE_INFINITY);
  assert.equal(
    problem('min-savings', '95%'),
    `${KEY}min-savings: "95%" is more than 90%; no node is replaced to save money`,
  );
  assert.equal(
    problem('min-savings', '5%,10%'),
    `${KEY}min-savings: "5%,10%" has two percentages; no node is replaced to save money`,
  );
  assert.equal(
    problem('consolidation-max-replacements', '11'),
    `${KEY}consolidation-max-replacements: "11" is not a number from 1 to 10; 1 is used`,
  );
  assert.equal(settings({ 'consolidation-max-replacements': '0' }).maxReplacements, 1);
  assert.equal(
    problem('consolidation-methods', 'empty,single-deletes'),
    `${KEY}consolidation-methods: "single-deletes" is none of empty, single-delete, single-replace, multi-delete, multi-replace, did you mean single-delete?; no node is consolidated`,
  );
  assert.equal(settings({ 'consolidation-methods': 'all' }).consolidationMethods.size, 0);
  assert.match(problem('consolidation-methods', 'empty,empty') ?? '', /"empty" is written twice/);
  assert.match(problem('consolidate-after', 'empty=soon') ?? '', /"empty=soon" has neither a duration/);
  assert.deepEqual(settings({ 'consolidate-after': 'idle=1m' }).waits, { empty: 'Never', underutilized: 'Never' });
  assert.match(
    problem('consolidate-after-ignore', 'cronjobs') ?? '',
    /"cronjobs" is neither jobs nor a selector.*; no pod is ignored/,
  );
  assert.match(problem('consolidate-after-ignore', 'selector:') ?? '', /the selector is empty/);
  assert.match(problem('consolidate-after-ignore', 'jobs,selector:a in b') ?? '', /"a in b" is no selector: /);
  assert.match(problem('min-node-age', '25h') ?? '', /"25h" is more than 24h; no node is consolidated/);
  assert.match(problem('min-node-age', '0s') ?? '', /"0s" is not a duration above 0/);
  assert.equal(settings({ 'min-node-age': '1d' }).minNodeAge, Number.POSITIVE_INFINITY);
  assert.match(problem('min-savings-delete', 'yes') ?? '', /"yes" is neither true nor false; true is used/);
  assert.match(problem('split-min-savings', '15') ?? '', /"15" is not a percentage such as 7.5%/);
  assert.match(problem('expiration-policy', 'graceful') ?? '', /is neither Graceful nor Forceful; Graceful is used/);
  assert.match(problem('expiration-deadline', '7d') ?? '', /"7d" is not a duration.*; 168h is used/);
  assert.match(problem('expiration-jitter', '120%') ?? '', /; 0% is used/);
  assert.equal(problemOf(CONSOLIDATION_METHODS, pool({})), undefined);
});
