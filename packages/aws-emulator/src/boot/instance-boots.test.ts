import assert from 'node:assert/strict';
import { test } from 'node:test';
import { instanceTypeFacts } from '@karpenter-ts/ec2-facts';
import type { Node } from '@karpenter-ts/kubernetes';
import { VirtualClock } from '@karpenter-ts/runtime';
import { SECOND } from '../clock.ts';
import { Timers } from '../state/timers.ts';
import type { BootingInstance } from './booting-instance.ts';
import { InstanceBoots, type NodeApi } from './instance-boots.ts';

const CLUSTER = { name: 'demo', endpoint: 'https://k.example', certificateAuthority: 'Q0E=' };
const ID = 'i-0123456789abcdef0';
const NAME = 'ip-10-0-0-7.ec2.internal';

/** An API server that records what it is asked for, and fails as often as it is told. */
class RecordingNodes implements NodeApi {
  readonly calls: string[] = [];
  failures = 0;
  refusal: string | undefined;
  pause = Promise.resolve();
  created: Node | undefined;

  async create(node: Node): Promise<string | undefined> {
    await this.#answer(`create ${node.metadata.name}`);
    if (this.refusal === undefined) this.created = node;
    return this.refusal;
  }

  silence(name: string): Promise<void> {
    return this.#answer(`silence ${name}`);
  }

  delete(name: string): Promise<void> {
    return this.#answer(`delete ${name}`);
  }

  async #answer(call: string): Promise<void> {
    this.calls.push(call);
    await this.pause;
    if (this.failures-- > 0) throw new Error('the API server is away');
  }
}

function start(bootstrap = '/etc/eks/bootstrap.sh demo') {
  const clock = new VirtualClock();
  const nodes = new RecordingNodes();
  const boots = new InstanceBoots({ timers: new Timers(clock), nodes, cluster: CLUSTER, bootDelay: 25 * SECOND });
  boots.start(instanceOf(bootstrap));
  return { clock, nodes, boots };
}

function instanceOf(bootstrap: string): BootingInstance {
  return {
    id: ID,
    type: instanceTypeFacts()['m5.large']!,
    imageName: 'amazon-eks-node-1.32-v20250915',
    architecture: 'x86_64',
    privateIp: '10.0.0.7',
    privateDnsName: NAME,
    region: 'us-east-1',
    zone: 'us-east-1a',
    zoneId: 'use1-az1',
    userData: Buffer.from(`#!/bin/bash\n${bootstrap}\n`).toString('base64'),
    volumes: [{ deviceName: '/dev/xvda', sizeGiB: 20 }],
    rootDeviceName: '/dev/xvda',
    efaInterfaces: 0,
  };
}

test('an instance joins when it has booted, and not before', async () => {
  const { clock, nodes, boots } = start();
  await clock.advance(24 * SECOND);
  assert.deepEqual(nodes.calls, []);
  assert.deepEqual(boots.stateOf(ID), { kind: 'booting' });
  await clock.advance(1 * SECOND);
  assert.equal(nodes.created?.spec?.providerID, `aws:///us-east-1a/${ID}`);
  assert.deepEqual(boots.stateOf(ID), { kind: 'joined', node: NAME });
});

test('an instance with wrong user data never joins, and says why', async () => {
  const { clock, nodes, boots } = start('/etc/eks/bootstrap.sh another');
  await clock.advance(3600 * SECOND);
  assert.deepEqual(nodes.calls, []);
  const failure = { kind: 'wrong-cluster', setting: 'name', told: 'another' };
  assert.deepEqual(boots.stateOf(ID), { kind: 'failed', failure });
});

test('a kubelet tries again while the API server is away', async () => {
  const { clock, nodes, boots } = start();
  nodes.failures = 2;
  await clock.advance(60 * SECOND);
  assert.equal(nodes.calls.length, 3);
  assert.equal(boots.stateOf(ID)?.kind, 'joined');
});

test('a Node that the API server refuses does not come, and says why', async () => {
  const { clock, nodes, boots } = start();
  nodes.refusal = 'invalid label';
  await clock.advance(60 * SECOND);
  assert.equal(nodes.calls.length, 1);
  assert.deepEqual(boots.stateOf(ID), { kind: 'failed', failure: { kind: 'rejected', detail: 'invalid label' } });
});

test('the kubelet stops with its instance, and the Node goes when the instance is terminated', async () => {
  const { clock, nodes, boots } = start();
  await clock.advance(30 * SECOND);
  boots.shutDown(ID);
  await clock.advance(30 * SECOND);
  assert.deepEqual(nodes.calls.slice(1), [`silence ${NAME}`]);
  boots.terminate(ID);
  assert.equal(boots.stateOf(ID), undefined);
  await clock.advance(10 * SECOND);
  assert.deepEqual(nodes.calls.slice(2), [`delete ${NAME}`]);
});

test('an instance that is terminated while it boots leaves no Node', async () => {
  const { clock, nodes, boots } = start();
  await clock.advance(20 * SECOND);
  boots.shutDown(ID);
  boots.terminate(ID);
  await clock.advance(3600 * SECOND);
  assert.deepEqual(nodes.calls, []);
});

test('an instance that is terminated while its Node is being created leaves no Node', async () => {
  const { clock, nodes, boots } = start();
  let go = (): void => undefined;
  nodes.pause = new Promise((resolve) => (go = resolve));
  await clock.advance(25 * SECOND);
  boots.shutDown(ID);
  boots.terminate(ID);
  nodes.pause = Promise.resolve();
  go();
  await clock.advance(10 * SECOND);
  assert.deepEqual(nodes.calls, [`create ${NAME}`, `silence ${NAME}`, `delete ${NAME}`]);
});
