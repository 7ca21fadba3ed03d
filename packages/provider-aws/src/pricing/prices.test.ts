import assert from 'node:assert/strict';
import { test } from 'node:test';
import type {
  DescribeSpotPriceHistoryCommandInput,
  DescribeSpotPriceHistoryCommandOutput,
  SpotPrice,
} from '@aws-sdk/client-ec2';
import type { GetProductsCommandInput, GetProductsCommandOutput } from '@aws-sdk/client-pricing';
import { onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import { HOUR, Metrics, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { AwsError } from '../api/aws-error.ts';
import { Prices } from './prices.ts';

const START = Date.UTC(2026, 8, 1);
const METADATA = { $metadata: {} };

/** Answers of AWS: pages of price list entries by tenancy, and pages of spot prices. Tests replace them. */
class Answers {
  shared: string[][] = [[entry('m5.large', '0.1')]];
  bareMetal: string[][] = [[entry('m5.metal', '5')]];
  spot: SpotPrice[][] = [[spot('m5.large', 'us-west-2a', '0.03')]];
  failure: Error | undefined;
  readonly products: GetProductsCommandInput[] = [];
  readonly histories: DescribeSpotPriceHistoryCommandInput[] = [];

  async getProducts(input: GetProductsCommandInput): Promise<GetProductsCommandOutput> {
    this.products.push(input);
    if (this.failure) throw this.failure;
    const isShared = input.Filters?.some(({ Value }) => Value === 'Shared');
    const { page, NextToken } = pageOf(isShared ? this.shared : this.bareMetal, input.NextToken);
    return { ...METADATA, PriceList: page, NextToken };
  }

  async describeSpotPriceHistory(
    input: DescribeSpotPriceHistoryCommandInput,
  ): Promise<DescribeSpotPriceHistoryCommandOutput> {
    this.histories.push(input);
    if (this.failure) throw this.failure;
    const { page, NextToken } = pageOf(this.spot, input.NextToken);
    return { ...METADATA, SpotPriceHistory: page, NextToken };
  }
}

function pageOf<T>(list: readonly T[][], token = '0'): { page: T[]; NextToken: string | undefined } {
  const at = Number(token);
  return { page: list[at] ?? [], NextToken: at + 1 < list.length ? String(at + 1) : undefined };
}

function entry(instanceType: string, price: string, currency = 'USD'): string {
  return JSON.stringify({
    product: { attributes: { instanceType } },
    terms: { OnDemand: { a: { priceDimensions: { b: { pricePerUnit: { [currency]: price } } } } } },
  });
}

function spot(InstanceType: string, AvailabilityZone: string, price: string): SpotPrice {
  return {
    InstanceType: InstanceType as NonNullable<SpotPrice['InstanceType']>,
    AvailabilityZone,
    SpotPrice: price,
    Timestamp: new Date(START),
  };
}

function environment({ region = 'us-west-2', isolatedVpc = false } = {}) {
  const answers = new Answers();
  const clock = new VirtualClock(START);
  const logger = recordingLogger();
  const metrics = new Metrics(clock);
  const api = { getProducts: answers.getProducts.bind(answers) };
  const ec2 = { describeSpotPriceHistory: answers.describeSpotPriceHistory.bind(answers) };
  const prices = new Prices({ pricing: api, ec2, region, isolatedVpc, clock, logger, metrics });
  const messages = () => logger.lines.map(({ message }) => message);
  async function render(): Promise<string> {
    let page = '';
    for await (const part of metrics.render('text')) page += part;
    return page;
  }
  return { answers, clock, logger, metrics, prices, messages, render };
}

const REQUEST_LIMIT = new AwsError('RequestLimitExceeded', 'slow down');

test('07/51 on-demand prices stay when the price list cannot be had, and the error says how old they are', async () => {
  const { answers, prices, logger } = environment();
  answers.failure = REQUEST_LIMIT;
  await assert.rejects(prices.refreshOnDemand(NEVER), (error: Error & { values?: unknown }) => {
    assert.equal(
      error.message,
      'retreiving on-demand pricing data, getting pricing data, api error RequestLimitExceeded: slow down',
    );
    assert.deepEqual(error.values, { 'previous-price-age': '1368h0m0s', 'previous-price-source': 'shipped' });
    return true;
  });
  assert.equal(prices.onDemand('m5.large'), onDemandPriceFacts()['us-east-1']!['m5.large']);
  assert.equal(prices.version, 0);
  assert.deepEqual(logger.lines, []);
});

test('07/52 every page of both listings counts', async () => {
  const { answers, prices } = environment();
  answers.shared = [[entry('m5.large', '0.5')], [entry('c5.large', '0.25')]];
  answers.bareMetal = [[], [entry('m5.metal', '9')]];
  await prices.refreshOnDemand(NEVER);
  assert.deepEqual(
    ['m5.large', 'c5.large', 'm5.metal'].map((type) => prices.onDemand(type)),
    [0.5, 0.25, 9],
  );
});

test('07/52 in China prices are in yuan', async () => {
  const { answers, prices } = environment({ region: 'cn-northwest-1' });
  answers.shared = [[entry('m5.large', '7', 'CNY'), entry('c5.large', '1', 'USD')]];
  answers.bareMetal = [];
  await prices.refreshOnDemand(NEVER);
  const shipped = onDemandPriceFacts()['cn-north-1']!;
  assert.deepEqual([prices.onDemand('m5.large'), prices.onDemand('c5.large')], [7, shipped['c5.large']]);
});

test('the price list is asked for Linux without software, shared and bare metal', async () => {
  const { answers, prices } = environment();
  await prices.refreshOnDemand(NEVER);
  const fields = answers.products.map(({ Filters = [] }) =>
    Object.fromEntries(Filters.map(({ Type, Field, Value }) => [`${Type} ${Field}`, Value])),
  );
  const common = {
    'TERM_MATCH regionCode': 'us-west-2',
    'TERM_MATCH serviceCode': 'AmazonEC2',
    'TERM_MATCH preInstalledSw': 'NA',
    'TERM_MATCH operatingSystem': 'Linux',
    'TERM_MATCH capacitystatus': 'Used',
    'TERM_MATCH marketoption': 'OnDemand',
  };
  assert.deepEqual(fields, [
    { ...common, 'TERM_MATCH tenancy': 'Shared', 'TERM_MATCH productFamily': 'Compute Instance' },
    { ...common, 'TERM_MATCH tenancy': 'Dedicated', 'TERM_MATCH productFamily': 'Compute Instance (bare metal)' },
  ]);
  assert.ok(answers.products.every(({ ServiceCode, MaxResults }) => ServiceCode === 'AmazonEC2' && MaxResults === 100));
});

test('entries that are broken, free or without a number are left out', async () => {
  const { answers, prices, logger } = environment();
  const broken = ['{', 'null', '{}', '{"product":null}', entry('c5.large', '0'), entry('r5.large', 'much')];
  answers.shared = [[...broken, entry('m5.large', '0.2')]];
  const before = ['c5.large', 'r5.large'].map((type) => prices.onDemand(type));
  await prices.refreshOnDemand(NEVER);
  assert.deepEqual(
    ['c5.large', 'r5.large'].map((type) => prices.onDemand(type)),
    before,
  );
  assert.equal(prices.onDemand('m5.large'), 0.2);
  assert.deepEqual(
    logger.lines.filter(({ level }) => level === 'error').map(({ message }) => message),
    ['failed unmarshaling pricing data'],
  );
});

test('07/53 what a later answer does not name keeps its price, on demand and spot', async () => {
  const { answers, prices } = environment();
  answers.shared = [[entry('m5.large', '0.5')]];
  answers.spot = [[spot('m5.large', 'us-west-2a', '0.01'), spot('m5.large', 'us-west-2b', '0.02')]];
  await prices.refreshOnDemand(NEVER);
  await prices.refreshSpot(NEVER);
  answers.shared = [[entry('c5.large', '0.25')]];
  answers.spot = [[spot('m5.large', 'us-west-2b', '0.03'), spot('c5.large', 'us-west-2b', '0.04')]];
  await prices.refreshOnDemand(NEVER);
  await prices.refreshSpot(NEVER);
  assert.equal(prices.onDemand('m5.large'), 0.5);
  assert.deepEqual(
    [
      prices.spot('m5.large', 'us-west-2a'),
      prices.spot('m5.large', 'us-west-2b'),
      prices.spot('c5.large', 'us-west-2b'),
    ],
    [0.01, 0.03, 0.04],
  );
});

test('07/54 in an isolated VPC the price list is not asked for, and spot prices are', async () => {
  const { answers, clock, prices, messages } = environment({ isolatedVpc: true });
  await prices.refreshOnDemand(NEVER);
  await clock.advance(12 * HOUR);
  await prices.refreshOnDemand(NEVER);
  await prices.refreshSpot(NEVER);
  assert.equal(answers.products.length, 0);
  assert.equal(prices.spot('m5.large', 'us-west-2a'), 0.03);
  assert.deepEqual(messages(), [
    'running in an isolated VPC, on-demand pricing information will not be updated',
    'updated spot pricing with instance types and offerings',
  ]);
});

test('07/54 in GovCloud the price list is not asked for', async () => {
  const { answers, prices, messages } = environment({ region: 'us-gov-east-1' });
  await prices.refreshOnDemand(NEVER);
  assert.equal(answers.products.length, 0);
  assert.deepEqual(messages(), [
    "pricing APIs aren't available in AWS GovCloud regions, on-demand pricing information will not be updated",
  ]);
});

test('07/55 a region without a table of its own starts from that of us-east-1', () => {
  const { prices } = environment({ region: 'eu-south-2' });
  assert.equal(prices.onDemand('m5.large'), onDemandPriceFacts()['us-east-1']!['m5.large']);
});

test('07/142 a region with a table starts from exactly that', () => {
  const tables = onDemandPriceFacts();
  for (const region of ['us-east-1', 'us-gov-east-1', 'us-gov-west-1', 'cn-north-1']) {
    const { prices } = environment({ region });
    for (const [type, price] of Object.entries(tables[region]!)) {
      assert.deepEqual([prices.onDemand(type), prices.spot(type, 'anywhere')], [price, price], `${region} ${type}`);
    }
  }
});

test('07/142 spot costs as on demand in the shipped table until spot prices have been had', async () => {
  const { answers, prices } = environment();
  await prices.refreshOnDemand(NEVER);
  answers.failure = REQUEST_LIMIT;
  await assert.rejects(prices.refreshSpot(NEVER), {
    message: 'retrieving spot pricing data, api error RequestLimitExceeded: slow down',
  });
  assert.equal(prices.spot('m5.large', 'us-west-2a'), onDemandPriceFacts()['us-east-1']!['m5.large']);
});

test('07/143 spot prices are asked for both products, differ by zone, and lack where there is no record', async () => {
  const { answers, prices } = environment();
  answers.spot = [
    [spot('m5.large', 'us-west-2a', '0.09'), { ...spot('m5.large', 'us-west-2c', '0.09'), Timestamp: undefined }],
    [
      spot('m5.large', 'us-west-2a', '0.03'),
      spot('m5.large', 'us-west-2b', '0.04'),
      spot('c5.large', 'us-west-2b', 'x'),
    ],
  ];
  await prices.refreshSpot(NEVER);
  assert.deepEqual(answers.histories[0], {
    ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
    StartTime: new Date(START),
    MaxResults: 2000,
  });
  assert.deepEqual(
    ['a', 'b', 'c'].map((zone) => prices.spot('m5.large', `us-west-2${zone}`)),
    [0.03, 0.04, undefined],
  );
  assert.equal(prices.spot('c5.large', 'us-west-2b'), undefined);
});

test('a refresh without a changed price leaves the version as it was', async () => {
  const { answers, prices } = environment();
  await prices.refreshOnDemand(NEVER);
  await prices.refreshSpot(NEVER);
  const { version } = prices;
  await prices.refreshOnDemand(NEVER);
  await prices.refreshSpot(NEVER);
  assert.equal(prices.version, version);
  answers.spot = [[spot('m5.large', 'us-west-2a', '0.031')]];
  await prices.refreshSpot(NEVER);
  assert.equal(prices.version, version + 1);
});

test('answers without prices are errors and change nothing; those of bare metal may be empty', async () => {
  const { answers, prices } = environment();
  answers.bareMetal = [];
  await prices.refreshOnDemand(NEVER);
  assert.equal(prices.onDemand('m5.large'), 0.1);
  answers.shared = [];
  answers.spot = [];
  await assert.rejects(prices.refreshOnDemand(NEVER), { message: 'no on-demand pricing found' });
  await assert.rejects(prices.refreshSpot(NEVER), { message: 'no spot pricing found' });
  assert.equal(prices.onDemand('m5.large'), 0.1);
});

test('new prices are logged with the age of those before, and equal ones once a day', async () => {
  const { clock, prices, logger } = environment();
  await prices.refreshOnDemand(NEVER);
  await clock.advance(12 * HOUR);
  await prices.refreshOnDemand(NEVER);
  await clock.advance(12 * HOUR);
  await prices.refreshOnDemand(NEVER);
  assert.deepEqual(
    logger.lines.map(({ message, fields }) => [message, fields['previous-price-age'], fields['previous-price-source']]),
    [
      ['updated on-demand pricing', '1368h0m0s', 'shipped'],
      ['updated on-demand pricing', '12h0m0s', 'refreshed'],
    ],
  );
});

test('the age of the prices is a metric and data', async () => {
  const { clock, prices, render } = environment();
  await prices.refreshSpot(NEVER);
  await clock.advance(1 * HOUR);
  assert.deepEqual(prices.ages, {
    'on-demand': { isShipped: true, updatedAt: Date.UTC(2026, 6, 6) },
    spot: { isShipped: false, updatedAt: START },
  });
  const page = await render();
  assert.match(page, /karpenter_ext_price_age_seconds\{capacity_type="on-demand",source="shipped"\} 4\.9284e\+06/);
  assert.match(page, /karpenter_ext_price_age_seconds\{capacity_type="spot",source="refreshed"\} 3600/);
});
