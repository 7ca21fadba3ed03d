// The parameters that name images: what is read, and what is remembered.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { type SsmParameter, SsmParameters } from './ssm-parameters.ts';

const LATEST: SsmParameter = { name: '/latest', from: 'alias', mutable: true };
const PINNED: SsmParameter = { name: '/pinned', from: 'alias', mutable: false };
const OWN: SsmParameter = { name: '/own', from: 'term', mutable: false };
const MISSING = new AwsError('ParameterNotFound', 'none');

function environment() {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const env = {
    clock,
    logger,
    values: new Map([
      ['/latest', 'ami-1'],
      ['/pinned', 'ami-2'],
      ['/own', 'ami-3'],
    ]),
    failure: undefined as Error | undefined,
    asked: [] as (string | undefined)[],
    get: (parameter: SsmParameter) => parameters.get(parameter, NEVER),
  };
  const getParameter = async ({ Name }: { Name: string | undefined }) => {
    env.asked.push(Name);
    if (env.failure !== undefined) throw env.failure;
    const Value = env.values.get(Name!);
    if (Value === undefined) throw MISSING;
    return { Parameter: { Value }, $metadata: {} };
  };
  const parameters = new SsmParameters({ ssm: { getParameter }, clock, logger, stopping: NEVER });
  return { ...env, env, parameters };
}

test('08/133 a parameter of an alias is read once a day, one of a term every five minutes', async () => {
  const { clock, asked, get } = environment();
  const passed = async (time: number) => {
    await clock.advance(time);
    asked.length = 0;
    for (const one of [LATEST, PINNED, OWN]) await get(one);
    return [...asked];
  };
  assert.deepEqual(await passed(0), ['/latest', '/pinned', '/own']);
  assert.deepEqual(await passed(5 * MINUTE - 1), []);
  assert.deepEqual(await passed(1), ['/own']);
  assert.deepEqual(await passed(24 * HOUR - 5 * MINUTE), ['/latest', '/pinned', '/own']);
});

test('each value that is read is logged', async () => {
  const { logger, get } = environment();
  await get(LATEST);
  await get(LATEST);
  assert.deepEqual(
    logger.lines.map(({ level, message, fields }) => [level, message, fields]),
    [['info', 'discovered ssm parameter', { parameter: '/latest', value: 'ami-1' }]],
  );
});

test('questions at once are one call', async () => {
  const { asked, get } = environment();
  const values = await Promise.all(Array.from({ length: 100 }, () => get(LATEST)));
  assert.deepEqual(new Set(values), new Set(['ami-1']));
  assert.equal(asked.length, 1);
});

test('that an alias has no such parameter is remembered for five minutes, for a parameter of a term it is not', async () => {
  const { values, asked, clock, get } = environment();
  values.clear();
  const text = 'getting ssm parameter, api error ParameterNotFound: none (parameter=/latest)';
  for (let i = 0; i < 3; i++) await assert.rejects(get(LATEST), { message: text });
  for (let i = 0; i < 2; i++) await assert.rejects(get(OWN));
  assert.deepEqual(asked, ['/latest', '/own', '/own']);
  values.set('/latest', 'ami-9');
  await clock.advance(5 * MINUTE);
  assert.equal(await get(LATEST), 'ami-9');
});

test('a value that cannot be read again is kept for a day', async () => {
  const { env, clock, logger, get } = environment();
  await get(LATEST);
  await clock.advance(24 * HOUR);
  env.failure = new AwsError('ThrottlingException', 'slow down');
  assert.equal(await get(LATEST), 'ami-1');
  assert.equal(logger.lines.at(-1)!.level, 'error');
  await clock.advance(24 * HOUR);
  await assert.rejects(get(LATEST), {
    message: 'getting ssm parameter, api error ThrottlingException: slow down (parameter=/latest)',
  });
});

test('a parameter that is deleted is not kept', async () => {
  const { values, clock, get } = environment();
  await get(OWN);
  values.delete('/own');
  await clock.advance(5 * MINUTE);
  await assert.rejects(get(OWN));
});

test('only what may change is listed, and what is invalidated is read again', async () => {
  const { values, parameters, get } = environment();
  for (const one of [LATEST, PINNED, OWN]) await get(one);
  assert.deepEqual([...parameters.mutableValues()], [['/latest', 'ami-1']]);
  values.set('/latest', 'ami-9');
  parameters.invalidate('/latest');
  parameters.invalidate('/unknown');
  assert.deepEqual([...parameters.mutableValues()], []);
  assert.equal(await get(LATEST), 'ami-9');
});
