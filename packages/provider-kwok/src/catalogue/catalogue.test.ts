import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CAPACITY_TYPE_LABEL, KWOK_LABELS, KWOK_PROFILE, ZONE_LABEL } from '@karpenter-ts/apis';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { type Catalogue, loadCatalogue } from './catalogue.ts';
import { CatalogueError } from './catalogue-file.ts';

const load = (options: Partial<Parameters<typeof loadCatalogue>[0]> = {}): Catalogue =>
  loadCatalogue({ instanceTypesFilePath: '', catalogue: 'kwok', ...options });

const prices = ({ offerings }: InstanceType): readonly number[] => offerings.map(({ pricePerHour }) => pricePerHour);
const valueOf = ({ requirements }: Pick<InstanceType, 'requirements'>, key: string): string | undefined =>
  requirements.find((one) => one.key === key)?.values?.join(' ');

function writeFile(t: TestContext, text: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'karpenter-catalogue-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const path = join(directory, 'types.json');
  writeFileSync(path, text);
  return path;
}

test("03/111 the default catalogue is upstream's 144 types, eight offerings each, at its prices", () => {
  const { instanceTypes, named } = load();
  assert.deepEqual(
    instanceTypes.slice(0, 5).map(({ name }) => name),
    ['c-1x-amd64-linux', 'c-1x-arm64-linux', 'c-1x-amd64-windows', 'c-1x-arm64-windows', 's-1x-amd64-linux'],
  );
  assert.ok(instanceTypes.every(({ offerings }) => offerings.length === 8));
  assert.deepEqual(prices(instanceTypes[0]!).slice(0, 2), [0.019003238553599998, 0.027147483648]);
  const [largest] = named('m-256x-arm64-windows');
  assert.deepEqual(prices(largest!).slice(0, 2), [6.019316278886399, 8.599023255552]);
  assert.deepEqual(largest!.capacity, { cpu: '256', memory: '2Ti', pods: '1024', 'ephemeral-storage': '20Gi' });
  assert.equal(named('m-192x-amd64-linux')[0]!.capacity['memory'], '1536Gi');
  // Of names and prices in upstream's instance_types.json, v1.14.1, to the last digit.
  const digest = createHash('sha256').update(instanceTypes.flatMap((type) => [type.name, ...prices(type)]).join('\n'));
  assert.equal(digest.digest('hex'), '0475eebc1a64c5831d7ce8a1e2c0cfb74907b4081b8e978bc0a6b157a2963d11');
});

test('a type is labelled with its size, family, cpu and memory', () => {
  const [generic] = load().named('s-16x-arm64-linux');
  assert.equal(valueOf(generic!, KWOK_LABELS.instanceSize), '16');
  assert.equal(valueOf(generic!, KWOK_LABELS.instanceFamily), 's');
  assert.equal(valueOf(generic!, KWOK_LABELS.instanceCpu), '16');
  assert.equal(valueOf(generic!, KWOK_LABELS.instanceMemory), '64Gi');
  const [ec2] = load({ catalogue: 'ec2' }).named('m5.xlarge');
  assert.equal(valueOf(ec2!, KWOK_LABELS.instanceSize), 'xlarge');
  assert.equal(valueOf(ec2!, KWOK_LABELS.instanceFamily), 'm5');
});

test('03/116 a custom file replaces the catalogue; pods default to 110 and offering keys become well-known', (t) => {
  const path = writeFile(
    t,
    JSON.stringify([
      {
        Name: 'big',
        ARCHITECTURE: 'amd64',
        operatingSystems: ['linux'],
        resources: { cpu: '4', memory: '8Gi' },
        offerings: [
          {
            Price: 0.5,
            Available: false,
            Requirements: [
              { key: CAPACITY_TYPE_LABEL, operator: 'In', values: ['spot'] },
              { key: ZONE_LABEL, operator: 'In', values: ['zone-1'] },
              { key: 'example.com/rack', operator: 'In', values: ['r1'] },
            ],
          },
        ],
      },
    ]),
  );
  const { instanceTypes, profile } = load({ instanceTypesFilePath: path, catalogue: 'ec2' });
  assert.equal(instanceTypes.length, 1);
  const { capacity, offerings, requirements } = instanceTypes[0]!;
  assert.deepEqual(capacity, { cpu: '4', memory: '8Gi', pods: '110' });
  assert.deepEqual([offerings[0]!.available, offerings[0]!.pricePerHour], [true, 0.5]);
  assert.equal(valueOf({ requirements }, KWOK_LABELS.instanceFamily), 'b');
  assert.deepEqual([...profile.wellKnownLabels.difference(KWOK_PROFILE.wellKnownLabels)], ['example.com/rack']);
});

test("offerings may be written as upstream's stale example has them", (t) => {
  const path = writeFile(
    t,
    JSON.stringify([
      {
        name: 'g5.4xlarge',
        architecture: 'amd64',
        operatingSystems: ['linux'],
        resources: { cpu: 16, memory: '64Gi', 'nvidia.com/gpu': '1' },
        offerings: [{ capacityType: 'on-demand', zone: 'us-east-1a', price: 1.624 }],
      },
    ]),
  );
  const [type] = load({ instanceTypesFilePath: path }).instanceTypes;
  assert.equal(type!.lastResort, undefined);
  assert.equal(valueOf(type!.offerings[0]!, ZONE_LABEL), 'us-east-1a');
  assert.equal(valueOf(type!.offerings[0]!, CAPACITY_TYPE_LABEL), 'on-demand');
  assert.equal(type!.offerings[0]!.pricePerHour, 1.624);
});

test('03/116 a file that cannot be used is a clear failure at the start', (t) => {
  const failure = (path: string): string => {
    try {
      load({ instanceTypesFilePath: path });
    } catch (error) {
      assert.ok(error instanceof CatalogueError);
      return error.message;
    }
    return assert.fail('it was taken');
  };
  assert.match(failure('/does/not/exist'), /^could not read custom instance types file: /);
  assert.match(failure(writeFile(t, '[{')), /^could not parse JSON data: /);
  assert.equal(failure(writeFile(t, '{}')), 'invalid instance types file: the file must be a list');
  const offerings = [{ Price: -1, Requirements: [{ key: 'a' }] }];
  const wrong = { name: '', resources: { cpu: 'many' }, offerings, lastResort: 'yes' };
  assert.equal(
    failure(writeFile(t, JSON.stringify([wrong]))),
    'invalid instance types file: [0].name must be a text; [0].architecture must be a text; ' +
      '[0].operatingSystems must be a list; [0].resources.cpu must be a quantity; [0].resources.cpu is missing; ' +
      '[0].resources.memory is missing; [0].offerings[0].Price must be a number that is not below 0; ' +
      '[0].offerings[0].Requirements[0].operator must be one of DoesNotExist, Exists, Gt, Gte, In, Lt, Lte, NotIn; ' +
      '[0].offerings[0].Requirements must say karpenter.sh/capacity-type In one value; ' +
      '[0].offerings[0].Requirements must say topology.kubernetes.io/zone In one value; and 1 more',
  );
});

test('reserved offerings of a file share what is reserved for their type and zone', (t) => {
  const offering = { capacityType: 'reserved', zone: 'a', price: 0, reservationCapacity: 3 };
  const resources = { cpu: '1', memory: '1Gi' };
  const path = writeFile(
    t,
    JSON.stringify([
      { name: 'r', architecture: 'amd64', operatingSystems: ['linux'], resources, offerings: [offering] },
    ]),
  );
  const [type] = load({ instanceTypesFilePath: path }).instanceTypes;
  assert.deepEqual(type!.offerings[0]!.reservation, { id: 'r/a', capacity: 3 });
});

test('the ec2 catalogue has the types of us-east-1 with real sizes, pods, devices, zones and on-demand prices', () => {
  const { instanceTypes, named } = load({ catalogue: 'ec2' });
  assert.equal(instanceTypes.length, 1334);
  const [m5] = named('m5.xlarge');
  assert.deepEqual(m5!.capacity, { cpu: '4', memory: '15155Mi', pods: '58', 'ephemeral-storage': '20Gi' });
  assert.equal(valueOf(m5!, ZONE_LABEL), 'us-east-1a us-east-1b us-east-1c us-east-1d us-east-1f');
  assert.equal(m5!.offerings.find((one) => valueOf(one, CAPACITY_TYPE_LABEL) === 'on-demand')!.pricePerHour, 0.192);
  assert.equal(named('g4dn.12xlarge')[0]!.capacity['nvidia.com/gpu'], '4');
  assert.equal(named('inf1.24xlarge')[0]!.capacity['aws.amazon.com/neuron'], '16');
});

test('spot in the ec2 catalogue costs 30 to 70 % of on demand, the same at every start', () => {
  const { instanceTypes } = load({ catalogue: 'ec2' });
  for (const { name, offerings } of instanceTypes) {
    const onDemand = offerings.find((one) => valueOf(one, CAPACITY_TYPE_LABEL) === 'on-demand')!.pricePerHour;
    for (const spot of offerings.filter((one) => valueOf(one, CAPACITY_TYPE_LABEL) === 'spot')) {
      const fraction = spot.pricePerHour / onDemand;
      assert.ok(fraction > 0.299 && fraction < 0.701, `${name}: ${fraction}`);
    }
  }
  assert.deepEqual(load({ catalogue: 'ec2' }).instanceTypes, instanceTypes);
});

test('bare metal and types with devices are the last resort of the ec2 catalogue, and of a file those it says', (t) => {
  const { instanceTypes, named } = load({ catalogue: 'ec2' });
  for (const name of ['m5.metal', 'c7i.metal-48xl', 'g5.xlarge', 'p5.48xlarge', 'inf2.xlarge', 'trn1.2xlarge']) {
    assert.equal(named(name)[0]!.lastResort, true, name);
  }
  for (const name of ['m5.xlarge', 'u-6tb1.112xlarge', 'f2.6xlarge', 'vt1.3xlarge']) {
    assert.equal(named(name)[0]!.lastResort, undefined, name);
  }
  const others = instanceTypes.filter(({ lastResort }) => lastResort !== true);
  assert.ok(others.every(({ capacity }) => Object.keys(capacity).every((resource) => !resource.includes('/'))));
  const entry = {
    architecture: 'amd64',
    operatingSystems: ['linux'],
    resources: { cpu: '1', memory: '1Gi' },
    offerings: [],
  };
  const path = writeFile(
    t,
    JSON.stringify([
      { ...entry, name: 'a', lastResort: true },
      { ...entry, name: 'b' },
    ]),
  );
  const wrong = writeFile(t, JSON.stringify([{ ...entry, name: 'c', lastResort: 'yes' }]));
  assert.throws(() => load({ instanceTypesFilePath: wrong }), /\[0\]\.lastResort must be true or false/);
  const marks = load({ instanceTypesFilePath: path }).instanceTypes.map(({ lastResort }) => lastResort);
  assert.deepEqual(marks, [true, undefined]);
});
