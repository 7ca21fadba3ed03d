import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { main } from '../main.ts';
import { type RecordedIo, recordingIo } from '../testing-io.ts';

const folder = mkdtempSync(join(tmpdir(), 'karpenter-plan-'));

/** Two pods that prefer to be apart, on types of one and of four cpus. */
const FLEET = {
  catalogue: [type('small', '1', 0.1), type('large', '4', 0.3)],
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
  pods: [pod('a', '1'), pod('b', '1')],
};

function type(name: string, cpu: string, price: number) {
  const offerings = [{ zone: 'zone-a', capacityType: 'on-demand', price }];
  return { name, capacity: { cpu, memory: '8Gi', pods: '10' }, labels: { 'kubernetes.io/arch': ['amd64'] }, offerings };
}

function pod(name: string, cpu: string) {
  const podAffinityTerm = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, labels: { app: 'web' } },
    spec: {
      containers: [{ resources: { requests: { cpu } } }],
      affinity: {
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] },
      },
    },
  };
}

async function plan(fleet: object | string, ...args: readonly string[]): Promise<RecordedIo> {
  const io = recordingIo(typeof fleet === 'string' ? fleet : JSON.stringify(fleet));
  await main(['plan', '--fleet', '-', ...args], io);
  return io;
}

async function planJson(fleet: object, ...args: readonly string[]) {
  const io = await plan(fleet, '-o', 'json', ...args);
  return JSON.parse(io.out()) as {
    readonly nodes: readonly {
      nodePool: string;
      pods: readonly string[];
      instanceTypes: readonly string[];
      pricePerHour: number;
    }[];
    readonly unschedulable: readonly { pod: string; reason: string }[];
    readonly pricePerHour: number;
    readonly seconds: number;
    readonly packing: object;
  };
}

test('a plan in JSON names nodes, their pods, types and prices, and what it took', async () => {
  const { seconds, ...rest } = await planJson(FLEET, '--packing-policy', 'Upstream');
  assert.deepEqual(rest, {
    nodes: [
      { nodePool: 'default', pods: ['default/a'], instanceTypes: ['small', 'large'], pricePerHour: 0.1 },
      { nodePool: 'default', pods: ['default/b'], instanceTypes: ['small', 'large'], pricePerHour: 0.1 },
    ],
    unschedulable: [],
    pricePerHour: 0.2,
    packing: { taken: 'upstream', why: 'Policy', upstream: { nodes: 2, pricePerHour: 0.2, feesPerHour: 0 } },
  });
  assert.ok(seconds > 0 && seconds < 10);
});

test('preferences do not count under --preference-policy Ignore', async () => {
  const { nodes } = await planJson(FLEET, '--preference-policy', 'Ignore', '--packing-policy', 'Upstream');
  assert.deepEqual(nodes, [
    { nodePool: 'default', pods: ['default/a', 'default/b'], instanceTypes: ['large'], pricePerHour: 0.3 },
  ]);
});

test('cheaper nodes than upstream’s are bought by default, and both prices are printed', async () => {
  const flags = ['--preference-policy', 'Ignore']; // so that upstream puts both pods on a large node
  const { nodes, packing } = await planJson(FLEET, ...flags);
  assert.deepEqual(
    nodes.map(({ instanceTypes }) => instanceTypes[0]),
    ['small', 'small'],
  );
  assert.deepEqual(packing, {
    taken: 'cost-aware',
    why: 'Cheaper',
    upstream: { nodes: 1, pricePerHour: 0.3, feesPerHour: 0 },
    costAware: { nodes: 2, pricePerHour: 0.2, feesPerHour: 0 },
  });
  const last = async (...more: readonly string[]) =>
    (await plan(FLEET, ...flags, ...more)).out().trimEnd().split('\n').at(-1);
  assert.equal(await last(), "33.3 % less than upstream's plan: 1 node at $0.3000 an hour");
  assert.equal(
    await last('--packing-min-gain', '40%'),
    "upstream's plan: 33.3 % less is too little to change to 2 nodes at $0.2000 an hour",
  );
  assert.equal(await last('--packing-max-extra-nodes', '0%'), "upstream's plan: no cheaper one was found");
  assert.equal(
    await last('--node-fee', '0.05/h'),
    "14.3 % less than upstream's plan: 1 node at $0.3000 an hour and $0.0500 an hour in fees",
  );
  assert.match((await last('--extensions', 'none'))!, /^1 node for 2 pods at \$0\.3000 an hour/);
});

test('a pod without a place is listed with the reason its event would give, and the plan still succeeds', async () => {
  const io = await plan({ ...FLEET, pods: [pod('giant', '9')] }, '-o', 'json');
  const { unschedulable } = JSON.parse(io.out()) as { unschedulable: readonly { pod: string; reason: string }[] };
  assert.equal(unschedulable[0]?.pod, 'default/giant');
  assert.match(
    unschedulable[0].reason,
    /^no instance type has enough resources, requirements=.*, resources=\{"cpu":"9"/,
  );
  assert.equal(io.exitCode, 0);
});

test('a plan in text has a line for each node, why pods have no place, and the totals', async () => {
  const giants = ['a', 'b', 'c', 'd', 'e'].map((name) => pod(`giant-${name}`, '9'));
  const io = await plan({ ...FLEET, pods: [...FLEET.pods, ...giants] });
  const [first, second, third, fourth, totals] = io.out().split('\n');
  assert.equal(first, 'default  small or 1 other type  1 pod  $0.1000 an hour');
  assert.equal(second, first);
  assert.equal(third, 'no place for default/giant-a, default/giant-b, default/giant-c and 2 more:');
  assert.equal(
    fourth,
    '  nodepool default: of 2 types 2 meet the requirements, 2 can be had within them, 0 of these are large enough; ' +
      'nearest: large: lacks cpu 5',
  );
  assert.match(totals!, /^2 nodes for 2 pods at \$0\.2000 an hour, 5 pods without a place, planned in \d+\.\d{3} s$/);
});

test('a fleet that upstream planned is read from its file', async () => {
  const path = join(folder, 'plain-300-102.json');
  const packed = join(import.meta.dirname, '../../../../bench/fleets/plain-300-102.json.gz');
  writeFileSync(path, gunzipSync(readFileSync(packed)));
  const io = recordingIo();
  await main(['plan', '--fleet', path, '-o', 'json', '--packing-policy', 'Upstream'], io);
  const { nodes, unschedulable } = JSON.parse(io.out()) as {
    nodes: readonly object[];
    unschedulable: readonly object[];
  };
  assert.deepEqual([nodes.length, unschedulable.length, io.exitCode], [2, 0, 0]);
});

test('the fleet of docs/plan.md is planned as it says there', async () => {
  const docs = join(import.meta.dirname, '../../../../docs');
  const [, told = ''] = /^\$ npx karpenter plan .*\n([^`]*)/m.exec(readFileSync(join(docs, 'plan.md'), 'utf8')) ?? [];
  const io = recordingIo();
  await main(['plan', '--fleet', join(docs, 'fleet.json')], io);
  const withoutTime = (text: string) => text.replace(/planned in .* s/, '');
  assert.equal(withoutTime(io.out()), withoutTime(told));
});

test('a bad file is refused with line, field and reason, and nothing is planned', async () => {
  const text = JSON.stringify(FLEET, undefined, 2).replace('"price": 0.3', '"price": "cheap"');
  const line = text.split('\n').findIndex((one) => one.includes('cheap')) + 1;
  const io = await plan(text);
  assert.deepEqual([io.out(), io.exitCode], ['', 1]);
  assert.ok(
    io.err().startsWith(`<stdin>:${line}:11: error: catalogue[1].offerings[0].price: Invalid value: "string"`),
    io.err(),
  );
});

test('what is no JSON, no file or a folder is refused', async () => {
  const refusal = async (name: string) => {
    const io = recordingIo('{"pods": [}');
    await main(['plan', '--fleet', name], io);
    return [io.exitCode, io.err()];
  };
  assert.deepEqual(await refusal('-'), [1, '<stdin>:1:11: error: is not a JSON object\n']);
  const missing = join(folder, 'none.json');
  assert.deepEqual(await refusal(missing), [1, `${missing}:1:1: error: no such file\n`]);
  const empty = mkdtempSync(join(folder, 'empty-'));
  assert.deepEqual(await refusal(empty), [1, `${empty}:1:1: error: is a folder, not a fleet file\n`]);
});

test('wrong usage ends with 2', async () => {
  const none = recordingIo();
  await main(['plan'], none);
  assert.deepEqual([none.exitCode, none.err().includes('name one of --fleet')], [2, true]);
  const policy = await plan(FLEET, '--preference-policy', 'Maybe');
  assert.deepEqual([policy.exitCode, policy.err().includes('Allowed choices are Respect, Ignore')], [2, true]);
  const gain = await plan(FLEET, '--packing-min-gain', '5');
  assert.deepEqual(
    [gain.exitCode, gain.out(), gain.err()],
    [2, '', 'error: --packing-min-gain: "5" is not a percentage from 0% to 100%\n'],
  );
});

test('nodes that are there take what they have room for before any is bought', async () => {
  const existing = [{ name: 'n1', allocatable: { cpu: '1', memory: '8Gi', pods: '10' } }];
  const io = await plan({ ...FLEET, existing }, '--packing-policy', 'Upstream');
  const [first, second, totals] = io.out().split('\n');
  assert.equal(first, 'n1       exists                 1 pod');
  assert.match(second!, /^default {2}small or 1 other type {2}1 pod/);
  assert.match(totals!, /^1 node for 1 pod at \$0\.1000 an hour, 1 pod on existing nodes, 0 pods without a place/);
  const file = (await planJson({ ...FLEET, existing })) as object;
  assert.deepEqual((file as { existing: unknown }).existing, [{ node: 'n1', pods: ['default/a'] }]);
});

test('a flag that would have no effect, and standard input that is named twice, are wrong usage', async () => {
  for (const args of [
    ['plan', '--from', '-', '--catalogue', 'kwok'],
    ['plan', '-f', '-', '-f', '-'],
    ['check', '-', '-'],
  ]) {
    const io = recordingIo('');
    await main(args, io);
    assert.equal(io.exitCode, 2);
    assert.match(io.err(), /^error: (?:--catalogue is for -f|standard input can be read once)/);
  }
});
