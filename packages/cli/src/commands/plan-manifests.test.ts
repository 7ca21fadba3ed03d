import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { main } from '../main.ts';
import type { ClusterDocument } from '../plan/cluster-document.ts';
import { type RecordedIo, recordingIo } from '../testing-io.ts';

const CATALOGUE = join(mkdtempSync(join(tmpdir(), 'karpenter-manifests-')), 'catalogue.json');
const OFFERINGS = [{ zone: 'zone-a', capacityType: 'on-demand', price: 0.2 }];
writeFileSync(
  CATALOGUE,
  JSON.stringify({
    catalogue: [
      {
        name: 'large',
        capacity: { cpu: '8', memory: '32Gi', pods: '50' },
        labels: { 'kubernetes.io/arch': ['amd64'], 'kubernetes.io/os': ['linux'] },
        offerings: OFFERINGS,
      },
    ],
  }),
);

const POOL = `
apiVersion: karpenter.sh/v1
kind: NodePool
metadata: { name: default }
spec:
  template:
    spec:
      nodeClassRef: { group: karpenter.k8s.aws, kind: EC2NodeClass, name: default }
      requirements: []
---`;

const workload = (apiVersion: string, kind: string, name: string, spec: string, podSpec = '') => `
apiVersion: ${apiVersion}
kind: ${kind}
metadata: { name: ${name}, namespace: shop }
spec:
  ${spec}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec:
      ${podSpec}
      containers: [{ name: c, image: x, resources: { requests: { cpu: "1", memory: 1Gi } } }]
---`;

async function plan(text: string, ...args: readonly string[]): Promise<RecordedIo> {
  const io = recordingIo(text);
  await main(['plan', ...args, '-f', '-', '--catalogue', CATALOGUE], io);
  return io;
}

async function provision(text: string): Promise<NonNullable<ClusterDocument['provision']>> {
  const io = await plan(text, 'provision', '-o', 'json');
  assert.equal(io.exitCode, 0, io.err());
  return (JSON.parse(io.out()) as ClusterDocument).provision!;
}

const podsOf = ({ nodes, existing = [] }: NonNullable<ClusterDocument['provision']>) =>
  [...nodes, ...existing].flatMap(({ pods }) => pods).sort();

test('workloads are planned as the pods that they ask for, daemons on every node', async () => {
  const planned = await provision(
    POOL +
      workload('apps/v1', 'Deployment', 'web', 'replicas: 3') +
      workload('apps/v1', 'StatefulSet', 'db', 'replicas: 2') +
      workload('batch/v1', 'Job', 'sum', 'parallelism: 2') +
      workload('apps/v1', 'DaemonSet', 'agent', 'minReadySeconds: 0'),
  );
  assert.deepEqual(
    podsOf(planned).map((pod) => pod.replace(/-\d+$/, '')),
    ['shop/db', 'shop/db', 'shop/sum', 'shop/sum', 'shop/web', 'shop/web', 'shop/web'],
  );
  assert.equal(planned.nodes.length, 1); // 7 cpus for the pods and one for the daemon
});

test('nodes that exist take pods first, and pods of a workload that run are not planned again', async () => {
  const node = `
apiVersion: v1
kind: Node
metadata: { name: n1, labels: { kubernetes.io/hostname: n1, kubernetes.io/os: linux } }
status: { capacity: { cpu: "3", memory: 9Gi, pods: "9" }, allocatable: { cpu: "3", memory: 9Gi, pods: "9" } }
---
apiVersion: v1
kind: Pod
metadata:
  name: web-5f-abc
  namespace: shop
  ownerReferences: [{ apiVersion: apps/v1, kind: ReplicaSet, name: web-5f, uid: u }]
spec: { nodeName: n1, containers: [{ name: c, resources: { requests: { cpu: "1" } } }] }
status: { phase: Running }
---`;
  const planned = await provision(POOL + node + workload('apps/v1', 'Deployment', 'web', 'replicas: 4'));
  assert.equal(podsOf(planned).length, 3);
  assert.equal(planned.existing?.[0]?.pods.length, 2);
  assert.equal(planned.nodes.length, 1);
});

test('what cannot be right is said with its line', async () => {
  const problem = async (text: string): Promise<string> => {
    const io = await plan(POOL + text);
    assert.equal(io.exitCode, 1);
    return io.err();
  };
  const pod = (metadata: string, spec: string, status = '{}') =>
    `\napiVersion: v1\nkind: Pod\nmetadata: { name: a${metadata} }\nspec: { containers: [{ name: c }]${spec} }\nstatus: ${status}\n`;
  assert.match(
    await problem(pod('', ', nodeName: gone')),
    /^<stdin>:\d+:\d+: error: spec\.nodeName: .*bound to no node/,
  );
  assert.match(await problem(pod('', '', '{ phase: Failed }')), /error: status\.phase: .*has not finished/);
  const daemon = ', ownerReferences: [{ apiVersion: apps/v1, kind: DaemonSet, name: d, uid: u }]';
  assert.match(await problem(pod(daemon, '')), /error: metadata\.ownerReferences\[0\]\.kind: .*DaemonSet/);
  const negative = workload('apps/v1', 'Deployment', 'web', 'replicas: 3').replace('cpu: "1"', 'cpu: "-5"');
  const said = await problem(negative);
  assert.match(said, /cpu: Invalid value: "-5": must be greater than or equal to 0/);
  assert.equal(said.trimEnd().split('\n').length, 1); // once, not for each of its pods
  assert.match(
    await problem(workload('apps/v1', 'Deployment', 'web', 'replicas: -1')),
    / spec\.replicas: Invalid value: -1: /,
  );
  assert.match(
    await problem(workload('apps/v1', 'Deployment', 'web', 'replicas: many')),
    / spec\.replicas: Invalid value/,
  );
  assert.match(
    await problem(workload('batch/v1', 'Job', 'job', 'parallelism: 0.5')),
    / spec\.parallelism: Invalid value/,
  );
  assert.match(await problem('\nkind: NodePool\napiVersion: karpenter.sh/v1\nmetadata: { name: b }\n'), /spec/);
});

test('a requirement on a label that nothing has is said, and the plan is made all the same', async () => {
  const io = await plan(
    POOL.replace('requirements: []', 'requirements: [{ key: karpenter.k8s.aws/instance-gpu-name, operator: Exists }]') +
      workload('apps/v1', 'Deployment', 'web', 'replicas: 1', 'nodeSelector: { disktype: ssd }'),
    'provision',
  );
  assert.equal(io.exitCode, 0);
  assert.match(
    io.err(),
    /NodePool default requires the label karpenter\.k8s\.aws\/instance-gpu-name, which no instance/,
  );
  assert.match(io.err(), /shop\/web-0000 asks for the label disktype, which no instance type, NodePool or Node has/);
  assert.match(io.out(), /no place for shop\/web-0000/);
});

test('pods that no plan looks at are told with the reason', async () => {
  const { unschedulable } = await provision(workload('apps/v1', 'Deployment', 'web', 'replicas: 1'));
  assert.deepEqual(unschedulable, [{ pod: 'shop/web-0000', reason: 'no dynamic nodepools found' }]);
  const elsewhere = workload(
    'apps/v1',
    'Deployment',
    'web',
    'replicas: 1',
    'nodeSelector: { kubernetes.io/hostname: a }',
  );
  const left = await provision(POOL + elsewhere + workload('apps/v1', 'Deployment', 'api', 'replicas: 1'));
  assert.deepEqual(
    left.nodes.map(({ pods }) => pods),
    [['shop/api-0000']],
  );
  assert.equal(left.unschedulable[0]?.pod, 'shop/web-0000');
  assert.match(left.unschedulable[0].reason, /^ignoring pod, .*kubernetes\.io\/hostname/);
});

test('the built-in catalogues have the labels that their NodePools select by', async () => {
  const io = recordingIo(
    POOL.replace(
      'requirements: []',
      'requirements: [{ key: karpenter.k8s.aws/instance-category, operator: In, values: [r] }]',
    ) + workload('apps/v1', 'Deployment', 'web', 'replicas: 1'),
  );
  await main(['plan', 'provision', '-f', '-', '--catalogue', 'ec2', '-o', 'json'], io);
  const { provision: planned } = JSON.parse(io.out()) as ClusterDocument;
  assert.ok(planned?.nodes[0]?.instanceTypes.every((name) => name.startsWith('r')));
  assert.equal(io.err(), '');
});

test('a catalogue that cannot be read is said', async () => {
  const io = recordingIo(POOL);
  await main(['plan', '-f', '-', '--catalogue', '/nowhere.json'], io);
  assert.equal(io.exitCode, 1);
  assert.match(io.err(), /^\/nowhere\.json:1:1: error: /);
});

test('pods with volume claims are planned without them, which is said', async () => {
  const volumes = 'volumes: [{ name: v, persistentVolumeClaim: { claimName: data } }]';
  const io = await plan(POOL + workload('apps/v1', 'StatefulSet', 'db', 'replicas: 2', volumes), 'provision');
  assert.match(io.err(), /^warning: 2 of 2 pods have volume claims/m);
  assert.match(io.out(), /1 node for 2 pods/);
});

test('a kind that has the name of a member of all objects is one that says nothing about nodes', async () => {
  for (const kind of ['constructor', '__proto__', 'toString']) {
    const io = await plan(
      `${POOL}\napiVersion: v1\nkind: ${kind}\nmetadata: { name: a }\nspec: { template: { spec: {} } }\n`,
    );
    assert.equal(io.exitCode, 0, io.err());
    assert.match(io.err(), new RegExp(`note: ${kind} says nothing about nodes$`, 'm'));
  }
});
