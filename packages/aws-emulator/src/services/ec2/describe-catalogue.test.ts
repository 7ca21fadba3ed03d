import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeSpotPriceHistoryCommand,
  EC2Client,
  type InstanceTypeInfo,
  paginateDescribeInstanceTypes,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeSpotPriceHistory,
} from '@aws-sdk/client-ec2';
import { instanceTypeFacts, offeringFacts, onDemandPriceFacts } from '@karpenter-ts/ec2-facts';
import { sdkHandler } from '../../sdk-handler.ts';
import { codeOf, startEc2 } from './testing/ec2-fixture.ts';

const HOUR = 3_600_000;

test('types come in pages as the region offers them, and as the figures describe them', async (t) => {
  const { client } = await startEc2(t);
  const Filters = [
    { Name: 'supported-virtualization-type', Values: ['hvm'] },
    { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
  ];
  const found: InstanceTypeInfo[] = [];
  let pages = 0;
  for await (const { InstanceTypes = [] } of paginateDescribeInstanceTypes({ client, pageSize: 100 }, { Filters })) {
    pages++;
    assert.ok(InstanceTypes.length <= 100);
    found.push(...InstanceTypes);
  }
  const facts = instanceTypeFacts();
  const offered = Object.keys(offeringFacts()['us-east-1']!).filter((name) =>
    facts[name]?.ProcessorInfo?.SupportedArchitectures?.some((one) => one === 'x86_64' || one === 'arm64'),
  );
  assert.deepEqual(new Set(found.map(({ InstanceType }) => InstanceType)), new Set<string | undefined>(offered));
  assert.equal(found.length, offered.length);
  assert.equal(pages, Math.ceil(offered.length / 100));
  assert.deepEqual(
    found.find(({ InstanceType }) => InstanceType === 'g4dn.8xlarge')?.GpuInfo,
    facts['g4dn.8xlarge']!.GpuInfo,
  );
});

test('types that are named are described, others are refused, and so are page sizes that EC2 does not take', async (t) => {
  const { client } = await startEc2(t);
  const ask = (input: object): Promise<unknown> => client.send(new DescribeInstanceTypesCommand(input));
  const named = await client.send(new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.large', 'c5.large'] }));
  assert.deepEqual(
    named.InstanceTypes?.map(({ InstanceType }) => InstanceType),
    ['c5.large', 'm5.large'],
  );
  assert.equal(await codeOf(ask({ InstanceTypes: ['m5.giant'] })), 'InvalidInstanceType');
  assert.equal(await codeOf(ask({ InstanceTypes: ['m5.large'], MaxResults: 5 })), 'InvalidParameterCombination');
  assert.equal(await codeOf(ask({ MaxResults: 4 })), 'InvalidParameterValue');
  assert.equal(await codeOf(ask({ MaxResults: 101 })), 'InvalidParameterValue');
  assert.equal(await codeOf(ask({ NextToken: 'nonsense' })), 'InvalidNextToken');
  assert.equal(await codeOf(ask({ Filters: [{ Name: 'colour', Values: ['red'] }] })), 'InvalidParameterValue');
  assert.equal(await codeOf(ask({ DryRun: true })), 'DryRunOperation');
});

test('filters match with wildcards, and each of them has to', async (t) => {
  const { client } = await startEc2(t);
  const names = async (values: string[], more: { Name: string; Values: string[] }[] = []): Promise<unknown> => {
    const Filters = [{ Name: 'instance-type', Values: values }, ...more];
    const { InstanceTypes = [] } = await client.send(new DescribeInstanceTypesCommand({ Filters }));
    return InstanceTypes.map(({ InstanceType }) => InstanceType);
  };
  assert.deepEqual(await names(['m5.?xlarge', 'm5.metal']), ['m5.2xlarge', 'm5.4xlarge', 'm5.8xlarge', 'm5.metal']);
  assert.deepEqual(await names(['t3.*'], [{ Name: 'vcpu-info.default-vcpus', Values: ['8'] }]), ['t3.2xlarge']);
  assert.deepEqual(await names(['t3.\\*']), []);
  assert.deepEqual(await names(['T3.large']), []);
});

test('offerings are listed by zone, by zone id and by region', async (t) => {
  const { client } = await startEc2(t);
  const locations = async (
    LocationType: 'region' | 'availability-zone' | 'availability-zone-id',
  ): Promise<unknown[]> => {
    const Filters = [{ Name: 'instance-type', Values: ['m5.large'] }];
    const { InstanceTypeOfferings = [] } = await client.send(
      new DescribeInstanceTypeOfferingsCommand({ LocationType, Filters }),
    );
    return InstanceTypeOfferings.map(({ Location }) => Location);
  };
  const zones = [...offeringFacts()['us-east-1']!['m5.large']!].sort();
  assert.deepEqual(await locations('availability-zone'), zones);
  assert.deepEqual(await locations('region'), ['us-east-1']);
  assert.equal((await locations('availability-zone-id'))[0], 'use1-az1');
  let count = 0;
  const paginator = paginateDescribeInstanceTypeOfferings(
    { client, pageSize: 1000 },
    { LocationType: 'availability-zone' },
  );
  for await (const { InstanceTypeOfferings = [] } of paginator) count += InstanceTypeOfferings.length;
  const offered = Object.entries(offeringFacts()['us-east-1']!).filter(([name]) => instanceTypeFacts()[name]);
  assert.equal(count, offered.flatMap(([, zones]) => zones).length);
});

test('spot prices are below the on-demand price, keep for hours, move, and repeat with the seed', async (t) => {
  const { client, clock } = await startEc2(t);
  const prices = async (from: EC2Client): Promise<Map<string, number>> => {
    const found = new Map<string, number>();
    const input = { StartTime: new Date(clock.now()), ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'] };
    for await (const page of paginateDescribeSpotPriceHistory({ client: from, pageSize: 2000 }, input)) {
      for (const { InstanceType, AvailabilityZone, SpotPrice } of page.SpotPriceHistory ?? []) {
        found.set(`${InstanceType}/${AvailabilityZone}`, Number(SpotPrice));
      }
    }
    return found;
  };
  const first = await prices(client);
  assert.ok(first.size > 5000, `${first.size} prices`);
  for (const [pool, price] of first) {
    const onDemand = onDemandPriceFacts()['us-east-1']![pool.split('/')[0]!]!;
    assert.ok(price > 0 && price < onDemand, `${pool} costs ${price}, on demand ${onDemand}`);
  }
  const again = await startEc2(t);
  assert.deepEqual(await prices(again.client), first);
  assert.notDeepEqual(await prices((await startEc2(t, 2)).client), first);
  await clock.advance(HOUR / 2);
  const changed = (after: Map<string, number>): number =>
    [...after].filter(([pool, price]) => first.get(pool) !== price).length;
  const soon = changed(await prices(client));
  assert.ok(soon > 0 && soon < first.size / 3, `${soon} changed in half an hour`);
  await clock.advance(24 * HOUR);
  assert.equal(changed(await prices(client)), first.size);
});

test('the history of a spot price has every change since the start, the newest first', async (t) => {
  const { client, clock, ec2 } = await startEc2(t);
  const StartTime = new Date(clock.now() - 72 * HOUR);
  const { SpotPriceHistory = [] } = await client.send(
    new DescribeSpotPriceHistoryCommand({ StartTime, InstanceTypes: ['m5.large'], AvailabilityZone: 'us-east-1a' }),
  );
  assert.ok(SpotPriceHistory.length >= 7, `${SpotPriceHistory.length} changes in three days`);
  const times = SpotPriceHistory.map(({ Timestamp }) => Timestamp!.getTime());
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.ok(times.at(-1)! <= StartTime.getTime());
  assert.equal(SpotPriceHistory[0]!.SpotPrice, ec2.spotPrice('m5.large', 'us-east-1a')!.toFixed(6));
});

test('zones have ids, in regions without figures of their own, too', async (t) => {
  const { client, emulator } = await startEc2(t);
  const { AvailabilityZones = [] } = await client.send(new DescribeAvailabilityZonesCommand({}));
  assert.deepEqual(AvailabilityZones.map(({ ZoneName, ZoneId }) => `${ZoneName} ${ZoneId}`).slice(0, 2), [
    'us-east-1a use1-az1',
    'us-east-1b use1-az2',
  ]);
  for (const [region, id] of [
    ['eu-central-1', 'euc1-az1'],
    ['us-gov-west-1', 'usgw1-az1'],
    ['ap-southeast-2', 'apse2-az1'],
  ] as const) {
    const elsewhere = new EC2Client({
      region,
      endpoint: 'http://aws.invalid',
      credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
      requestHandler: sdkHandler(emulator) as never,
    });
    const answer = await elsewhere.send(new DescribeAvailabilityZonesCommand({}));
    assert.deepEqual([answer.AvailabilityZones?.length, answer.AvailabilityZones?.[0]?.ZoneId], [3, id]);
  }
});
