// Types and prices as AWS' own client reads them from answers on the wire.
import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { type Emulator, type Fault, sdkHandler, startEmulator } from '@karpenter-ts/aws-emulator';
import { offeringFacts, onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import { Metrics, realClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { createAwsApis } from '../clients/create-aws-apis.ts';
import { DiscoveredTypes } from '../instance-types/discovered-types.ts';
import { Prices } from '../pricing/prices.ts';

const REGION = 'us-west-2';
/** Some pages of them. */
const TYPES = Object.keys(offeringFacts()[REGION]!).filter((name) => /^(m|mac)[^i]/.test(name));
const NOW = Date.UTC(2026, 8, 1);

async function environment(t: TestContext) {
  // Time stands still for AWS, so that spot prices do.
  const emulator = await startEmulator({
    clock: { ...realClock, now: () => NOW },
    seed: 1,
    region: REGION,
    instanceTypes: TYPES,
  });
  t.after(() => emulator.stop());
  const [clock, logger] = [realClock, recordingLogger()];
  const deps = { clock, logger, metrics: new Metrics(clock) };
  const env = { AWS_REGION: REGION, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const clients = await createAwsApis({
    ...deps,
    env,
    version: 'test',
    handler: sdkHandler(emulator),
    random: () => 0, // no delay between attempts
  });
  t.after(() => clients.close());
  const { ec2, pricing } = clients.apis;
  const discovered = new DiscoveredTypes({ ...deps, ec2 });
  const prices = new Prices({ ...deps, ec2, pricing, region: REGION, isolatedVpc: false });
  return { emulator, discovered, prices };
}

function inject(emulator: Emulator, operation: string, fault: Fault, times: number): void {
  emulator.faults.inject(fault, { operation, times });
}

test('07/1 07/52 07/143 types, zones and prices come whole through all pages', async (t) => {
  const { discovered, prices } = await environment(t);
  await Promise.all([discovered.refreshTypes(NEVER), discovered.refreshOfferings(NEVER)]);
  await Promise.all([prices.refreshSpot(NEVER), prices.refreshOnDemand(NEVER)]);
  const offered = offeringFacts()[REGION]!;
  for (const name of discovered.types.keys())
    assert.deepEqual([...discovered.zonesOf(name)].sort(), [...offered[name]!].sort());
  const offeredTypes = TYPES.filter((name) => !name.startsWith('mac')).sort();
  assert.ok(offeredTypes.length > 200);
  assert.deepEqual([...discovered.types.keys()], offeredTypes);
  assert.equal(prices.onDemand('m5.large'), onDemandPriceFacts()['us-east-1']!['m5.large']);
  const spot = ['a', 'b', 'c'].map((letter) => prices.spot('m5.large', `${REGION}${letter}`) ?? Number.NaN);
  assert.ok(spot.every((price) => price > 0 && price < 0.096));
  assert.equal(new Set(spot).size, 3);
  assert.deepEqual(prices.ages['on-demand'].isShipped, false);

  const { version } = prices;
  await Promise.all([prices.refreshSpot(NEVER), prices.refreshOnDemand(NEVER)]);
  assert.equal(prices.version, version);
});

test('an answer that breaks off, a broken connection and throttling are tried again', async (t) => {
  const { emulator, discovered } = await environment(t);
  inject(emulator, 'DescribeInstanceTypeOfferings', { kind: 'half-answer' }, 1);
  inject(emulator, 'DescribeInstanceTypeOfferings', { kind: 'reset', when: 'after' }, 1);
  await discovered.refreshOfferings(NEVER);
  const throttled = { kind: 'refuse', code: 'RequestLimitExceeded', message: 'Slow down.', status: 503 } as const;
  inject(emulator, 'DescribeInstanceTypeOfferings', throttled, 2);
  await discovered.refreshOfferings(NEVER);
  assert.equal(discovered.zones.size, 4);
});

test('what cannot be had is an error that leaves the last answer in force', async (t) => {
  const { emulator, discovered, prices } = await environment(t);
  await discovered.refreshOfferings(NEVER);
  const { version } = discovered;
  const refusal = { kind: 'refuse', code: 'UnauthorizedOperation', message: 'You may not.', status: 403 } as const;
  inject(emulator, 'DescribeInstanceTypeOfferings', refusal, 3);
  await assert.rejects(discovered.refreshOfferings(NEVER), { message: 'describing instance type zone offerings' });
  inject(emulator, 'DescribeSpotPriceHistory', refusal, 3);
  await assert.rejects(prices.refreshSpot(NEVER), {
    message: 'retrieving spot pricing data, api error UnauthorizedOperation: You may not.',
  });
  assert.equal(discovered.version, version);
  assert.equal(prices.version, 0);
});

test('records that say less or other than they should are passed over', async (t) => {
  const { emulator, prices } = await environment(t);
  const alter = (output: object): object => {
    const [first, second, ...others] = (output as { SpotPriceHistory: object[] }).SpotPriceHistory;
    return {
      ...output,
      SpotPriceHistory: [{ ...first, SpotPrice: 'dear' }, { InstanceType: 'new.type' }, second, ...others],
    };
  };
  emulator.faults.inject({ kind: 'alter', alter }, { operation: 'DescribeSpotPriceHistory' });
  await prices.refreshSpot(NEVER);
  assert.equal(prices.spot('new.type', `${REGION}a`), undefined);
  assert.ok(prices.spot('m5.large', `${REGION}a`) !== undefined);
});
