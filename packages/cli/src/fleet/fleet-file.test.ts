import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { readFleet } from './fleet-file.ts';

const FLEET = {
  catalogue: [
    {
      name: 'm5.large',
      capacity: { cpu: '2', memory: '8Gi', pods: '29' },
      overhead: { cpu: '70m' },
      labels: { 'kubernetes.io/arch': ['amd64'], 'example.com/family': ['m5'] },
      offerings: [
        { zone: 'us-east-1a', capacityType: 'spot', price: 0.03 },
        { zone: 'us-east-1b', capacityType: 'on-demand', price: 0.1, available: false },
      ],
    },
    {
      name: 'bare',
      capacity: { cpu: 4 },
      offerings: [{ zone: 'us-east-1a', capacityType: 'on-demand', price: 1 }],
    },
  ],
  nodePools: [
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'default' },
      spec: {
        template: {
          spec: {
            nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
            requirements: [],
          },
        },
      },
    },
  ],
  pods: [
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'shop' },
      spec: { containers: [{ name: 'c', image: 'x', resources: { requests: { cpu: '1' } } }] },
    },
  ],
  daemonPods: [],
};

const NEGATIVE = /^Invalid value: "-1n?": must be greater than or equal to 0$/;
const SPREAD = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
const VAST = { cpu: '1e999999' };

/** The fleet with one value, named by its path, put in or taken out. */
function changed(path: readonly (string | number)[], value: unknown): string {
  const copy = structuredClone(FLEET) as unknown as Record<string, unknown>;
  let at: Record<string | number, unknown> = copy;
  for (const segment of path.slice(0, -1)) at = at[segment] as Record<string | number, unknown>;
  at[path.at(-1)!] = value;
  return JSON.stringify(copy, undefined, 2);
}

function fleetOf(text: string) {
  const read = readFleet(text);
  if (!('fleet' in read)) assert.fail(JSON.stringify(read.problems));
  return read.fleet;
}

function problemsOf(text: string) {
  const read = readFleet(text);
  return 'problems' in read ? read.problems : [];
}

test('a fleet file becomes a snapshot in which every label of the catalogue is well-known', () => {
  const { snapshot, options } = fleetOf(JSON.stringify(FLEET));
  assert.deepEqual([snapshot.pools.length, snapshot.pods.length, snapshot.nodes.length], [1, 1, 0]);
  assert.ok(options.profile.wellKnownLabels.has('example.com/family'));
  const [large, bare] = snapshot.pools[0]!.instanceTypes;
  const zones = large!.requirements.find(({ key }) => key === ZONE_LABEL);
  assert.deepEqual(zones?.values, ['us-east-1a', 'us-east-1b']);
  assert.deepEqual(
    large!.offerings.map(({ available }) => available),
    [true, false],
  );
  assert.equal(bare!.requirements.find(({ key }) => key === 'example.com/family')?.operator, 'DoesNotExist');
});

test('02/14 pools get the defaults an API server gives them, and static ones are left out', () => {
  assert.equal(fleetOf(JSON.stringify(FLEET)).snapshot.pools[0]!.nodePool.spec.disruption.consolidateAfter, '0s');
  assert.equal(fleetOf(changed(['nodePools', 0, 'spec', 'replicas'], 3)).snapshot.pools.length, 0);
});

test('names may be as short as one letter, but not empty', () => {
  for (const path of [
    ['catalogue', 1, 'name'],
    ['pods', 0, 'metadata', 'name'],
  ]) {
    assert.deepEqual(problemsOf(changed(path, 'x')), []);
    assert.match(problemsOf(changed(path, ''))[0]!.message, /should be at least 1 chars long/);
  }
});

test('numbers may be as small as an API server takes them, and no smaller', () => {
  const pod = (field: string, value: unknown) => changed(['pods', 0, 'spec', field], value);
  const spread = { topologyKey: 'zone', maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' };
  const preferring = (weight: number) => ({
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight, preference: {} }] },
  });
  const cases: readonly (readonly [least: number, withNumber: (value: number) => string])[] = [
    [0, (price) => changed(['catalogue', 0, 'offerings', 0, 'price'], price)],
    [0, (hostPort) => pod('containers', [{ ports: [{ hostPort }] }])],
    [1, (maxSkew) => pod('topologySpreadConstraints', [{ ...spread, maxSkew }])],
    [1, (minDomains) => pod('topologySpreadConstraints', [{ ...spread, minDomains }])],
    [1, (weight) => pod('affinity', preferring(weight))],
  ];
  for (const [least, withNumber] of cases) {
    assert.deepEqual(problemsOf(withNumber(least)), []);
    assert.match(problemsOf(withNumber(least - 1))[0]!.message, /should be greater than or equal to/);
  }
  assert.deepEqual(problemsOf(pod('affinity', preferring(100))), []);
  assert.match(problemsOf(pod('affinity', preferring(101)))[0]!.message, /should be less than or equal to 100/);
});

test('what is not JSON is reported where it stops being JSON', () => {
  assert.deepEqual(problemsOf('{\n  "pods": [,]\n}'), [
    { line: 2, column: 12, field: '', message: 'is not a JSON object' },
  ]);
  assert.deepEqual(problemsOf('[]'), [{ line: 1, column: 1, field: '', message: 'is not a JSON object' }]);
  assert.deepEqual(problemsOf(''), [{ line: 1, column: 1, field: '', message: 'is not a JSON object' }]);
});

test('a limit may be negative, as an API server has it', () => {
  assert.ok(fleetOf(changed(['nodePools', 0, 'spec', 'limits'], { cpu: '-1' })));
});

test('a price that is no number any more is refused', () => {
  const text = JSON.stringify(FLEET).replace('0.03', '1e400');
  assert.equal(problemsOf(text)[0]?.field, 'catalogue[0].offerings[0].price');
});

test('a file that is nested too deeply is reported with the place', () => {
  for (const deep of [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`]) {
    const [problem, ...others] = problemsOf(`{\n"pods": ${deep}}`);
    assert.deepEqual([problem?.line, problem?.message], [2, 'is nested too deeply to be a fleet']);
    assert.deepEqual(others, []);
  }
});

test('a bad field is reported by its path, its line and the words of an API server', () => {
  const cases: readonly (readonly [path: readonly (string | number)[], value: unknown, message: RegExp])[] = [
    [['catalogue', 0, 'capacity', 'cpu'], 'two', /^Invalid value: "two": .* should match/],
    [['catalogue', 0, 'offerings', 1, 'price'], '0.1', /^Invalid value: "string": .*must be of type number/],
    [['catalogue', 0, 'offerings', 0, 'capacityType'], 'cheap', /^Unsupported value: "cheap"/],
    [['catalogue', 1, 'name'], 'm5.large', /^Duplicate value: "m5.large"$/],
    [['nodePools', 0, 'spec', 'weight'], 101, /^Invalid value: 101: .*less than or equal to 100/],
    [['nodePools', 0, 'kind'], 'Deployment', /^Unsupported value: "Deployment"/],
    [['pods', 0, 'spec', 'containers', 0, 'resources', 'requests', 'cpu'], 'much', /^Invalid value: "much"/],
    [['pods', 0, 'spec', 'containers', 0, 'resources', 'requests', 'cpu'], '1e999999', /^Invalid value: "1e999999": /],
    [['catalogue', 0, 'overhead', 'cpu'], '1e999999', /^Invalid value: "1e999999": /],
    [['nodePools', 0, 'spec', 'limits'], { cpu: '1e999999' }, /^Invalid value: "1e999999": /],
    [['pods', 0, 'spec', 'containers', 0, 'resources', 'requests', 'cpu'], '-1', NEGATIVE],
    [['pods', 0, 'spec', 'overhead'], { cpu: -1 }, NEGATIVE],
    [['daemonPods'], [{ ...FLEET.pods[0], spec: { containers: [{}], overhead: { cpu: -1 } } }], NEGATIVE],
    [['catalogue', 0, 'overhead', 'cpu'], '-1n', NEGATIVE],
    [['catalogue', 0, 'capacity', 'cpu'], '-1', NEGATIVE],
    [['catalogue', 0, 'offerings', 0, 'price'], 1e300, /should be less than or equal to 1000000$/],
    [['pods', 0, 'spec', 'containers', 0, 'ports'], [{ hostPort: 65_536 }], /should be less than or equal to 65535$/],
    [
      ['pods', 0, 'spec', 'topologySpreadConstraints'],
      [{ ...SPREAD, topologyKey: '' }],
      /should be at least 1 chars long/,
    ],
    [['pods', 0, 'spec', 'initContainers'], [{ resources: { limits: VAST } }], /^Invalid value: "1e999999": /],
    [['pods', 0, 'spec', 'overhead'], VAST, /^Invalid value: "1e999999": /],
    [['pods', 0, 'spec', 'resources'], { requests: VAST }, /^Invalid value: "1e999999": /],
    [
      ['daemonPods'],
      [{ ...FLEET.pods[0], spec: { containers: [{}], overhead: VAST } }],
      /^Invalid value: "1e999999": /,
    ],
    [['nodePools', 1], FLEET.nodePools[0], /^Duplicate value: "default"$/],
    [['pods', 1], FLEET.pods[0], /^Duplicate value: "shop\/web"$/],
    [['pods', 0, 'spec', 'tolerations'], {}, /^Invalid value: "object": .*must be of type array/],
    [['instances'], [], /^unknown field "instances"$/],
  ];
  for (const [path, value, message] of cases) {
    const text = changed(path, value);
    const [problem] = problemsOf(text);
    assert.match(problem?.message ?? 'accepted', message);
    const field = path.map(segmentText).join('').slice(1);
    assert.ok(problem!.field.startsWith(field), problem!.field);
    const [name] = problem!.field.split('.').slice(-1);
    assert.ok(text.split('\n')[problem!.line - 1]!.includes(`"${name}"`));
  }
});

const segmentText = (segment: string | number) => (typeof segment === 'number' ? `[${segment}]` : `.${segment}`);

test('a field that is missing is reported where its parent stands', () => {
  const text = changed(['pods', 0, 'spec', 'topologySpreadConstraints'], [{ topologyKey: 'zone' }]);
  const [problem] = problemsOf(text);
  assert.deepEqual(
    [problem?.field, problem?.message],
    ['pods[0].spec.topologySpreadConstraints[0].maxSkew', 'Required value'],
  );
  assert.equal(text.split('\n')[problem!.line]!.trim(), '"topologyKey": "zone"');
});

test('pools, pods and types need what an API server, or a plan, cannot do without', () => {
  const needed: readonly (readonly (string | number)[])[] = [
    ...['apiVersion', 'kind', 'metadata', 'spec'].map((field) => ['nodePools', 0, field]),
    ...['metadata', 'spec'].map((field) => ['pods', 0, field]),
    ['pods', 0, 'metadata', 'name'],
    ['pods', 0, 'spec', 'containers'],
    ...['name', 'capacity', 'offerings'].map((field) => ['catalogue', 0, field]),
    ...['zone', 'capacityType', 'price'].map((field) => ['catalogue', 0, 'offerings', 0, field]),
  ];
  for (const path of needed) {
    const field = path.map(segmentText).join('').slice(1);
    const [problem] = problemsOf(changed(path, undefined));
    assert.deepEqual([problem?.field, problem?.message], [field, 'Required value']);
  }
});

test('what a fleet must have and has not is reported for the file as a whole', () => {
  assert.deepEqual(
    problemsOf('{"pods": []}').map(({ field, message, line }) => `${field}: ${message} (${line})`),
    ['catalogue: Required value (1)', 'nodePools: Required value (1)'],
  );
});

test('all problems are reported at once, in the order of the lines', () => {
  const text = changed(['pods', 0, 'spec', 'containers'], []).replace('"price": 0.03', '"price": -1');
  const problems = problemsOf(text);
  assert.deepEqual(
    problems.map(({ field }) => field),
    ['catalogue[0].offerings[0].price', 'pods[0].spec.containers'],
  );
  assert.ok(problems[0]!.line < problems[1]!.line);
});

test('fields planning does not read may be anything', () => {
  assert.ok(fleetOf(changed(['pods', 0, 'spec', 'hostAliases'], [{ ip: '127.0.0.1' }])));
  assert.ok(fleetOf(changed(['pods', 0, 'status'], { phase: 'Pending' })));
});

const EXISTING = { name: 'n1', labels: { [ZONE_LABEL]: 'us-east-1a' }, allocatable: { cpu: '4', pods: '10' } };

test('nodes that are there are read with their pods; what is left out is as on a node that runs', () => {
  const [bound, ended] = ['Running', 'Succeeded'].map((phase) => ({
    ...FLEET.pods[0]!,
    metadata: { name: phase.toLowerCase() },
    status: { phase },
  }));
  const existing = [
    { ...EXISTING, pods: [bound, ended] },
    { name: 'n2', allocatable: {}, initialized: false },
  ];
  const { nodes } = fleetOf(changed(['existing'], existing)).snapshot;
  assert.deepEqual(nodes[0], {
    ...EXISTING,
    providerId: 'n1',
    taints: [],
    node: { labels: EXISTING.labels, taints: [] },
    initialized: true,
    capacity: EXISTING.allocatable,
    pods: [bound],
    volumeLimits: {},
    refusesMovedPods: false,
  });
  assert.equal(nodes[1]!.node, undefined); // it has not come yet
  const node = { labels: { a: 'b' } };
  assert.deepEqual(fleetOf(changed(['existing'], [{ ...EXISTING, node }])).snapshot.nodes[0]!.node, {
    ...node,
    taints: [],
  });
});

test('volume objects are read, so that pods which refer to them are planned', () => {
  const claims = [{ metadata: { name: 'data', namespace: 'shop' }, spec: { volumeName: 'pv' } }];
  const { volumes } = fleetOf(changed(['volumes'], { claims })).snapshot;
  assert.deepEqual(volumes, { volumeClaims: claims, persistentVolumes: [], storageClasses: [] });
});

test('what is wrong with existing nodes and volumes is told with its place', () => {
  const fields = (text: string) => problemsOf(text).map(({ field }) => field);
  assert.deepEqual(fields(changed(['existing'], [EXISTING, EXISTING])), ['existing[1].name']);
  assert.deepEqual(fields(changed(['existing'], [{ ...EXISTING, allocatable: VAST }])), [
    'existing[0].allocatable.cpu',
  ]);
  assert.deepEqual(fields(changed(['existing'], [{ ...EXISTING, unknown: 1 }])), ['existing[0].unknown']);
  assert.deepEqual(fields(changed(['volumes'], { claims: [{ metadata: { name: 'x' } }] })), ['volumes.claims[0].spec']);
});
