import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../../emulator.ts';
import { callerOf } from '../../testing/wire-call.ts';

async function start(t: TestContext, instanceTypes?: readonly string[]) {
  const given = instanceTypes && { instanceTypes };
  const emulator = await startEmulator({ clock: new VirtualClock(), seed: 1, ...given });
  t.after(() => emulator.stop());
  const prices = async (fields: Readonly<Record<string, string>>) => {
    const Filters = Object.entries(fields).map(([Field, Value]) => ({ Type: 'TERM_MATCH', Field, Value }));
    const input = { ServiceCode: 'AmazonEC2', Filters };
    const { body } = await callerOf(emulator).json('pricing', 'AWSPriceListService.GetProducts', input);
    return (body['PriceList'] as readonly string[]).map((entry) => /"pricePerUnit":(\{[^}]*\})/.exec(entry)![1]);
  };
  return { levers: emulator.pricing, prices };
}

const LARGE = {
  instanceType: 'm5.large',
  operatingSystem: 'Linux',
  preInstalledSw: 'NA',
  capacitystatus: 'Used',
  tenancy: 'Shared',
};

test('each filter that is left out adds entries: other systems, other software, other uses', async (t) => {
  const { prices } = await start(t);
  assert.equal((await prices({ regionCode: 'us-east-1', ...LARGE })).length, 1);
  for (const field of ['operatingSystem', 'preInstalledSw', 'capacitystatus', 'tenancy'] as const) {
    const { [field]: _, ...rest } = LARGE;
    assert.ok((await prices({ regionCode: 'us-east-1', ...rest })).length > 1, field);
  }
});

test('China pays in yuan', async (t) => {
  const { prices } = await start(t);
  const [price] = await prices({ regionCode: 'cn-north-1', ...LARGE });
  assert.match(price!, /^\{"CNY":"\d/);
});

test('a price that was set is that of its region alone, also of a type that nobody knows', async (t) => {
  const { levers, prices } = await start(t);
  levers.setPrice('us-west-2', 'm5.large', 0.5);
  levers.setPrice('us-west-2', 'z99.huge', 7);
  assert.deepEqual(await prices({ regionCode: 'us-west-2', ...LARGE }), ['{"USD":"0.5000000000"}']);
  assert.deepEqual(await prices({ regionCode: 'us-east-1', ...LARGE }), ['{"USD":"0.0960000000"}']);
  const unknown = await prices({ regionCode: 'us-west-2', ...LARGE, instanceType: 'z99.huge' });
  assert.deepEqual(unknown, ['{"USD":"7.0000000000"}']);
});

test('an emulator with a few types lists the prices of these only', async (t) => {
  const { prices } = await start(t, ['m5.large']);
  const { instanceType: _, ...any } = LARGE;
  assert.equal((await prices({ regionCode: 'us-east-1', ...any })).length, 1);
});
