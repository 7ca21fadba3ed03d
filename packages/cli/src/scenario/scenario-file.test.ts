import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { recordingIo } from '../testing-io.ts';
import { loadScenario } from './scenario-file.ts';

const SHIPPED = join(import.meta.dirname, '../../../../samples/scenarios');
const folder = mkdtempSync(join(tmpdir(), 'karpenter-scenario-'));
const load = (pathOrName: string) => loadScenario(pathOrName, recordingIo());

function loadText(text: string): ReturnType<typeof load> {
  const path = join(folder, 'mine.yaml');
  writeFileSync(path, text);
  return load(path);
}

const POOL = `apiVersion: karpenter.sh/v1
kind: NodePool
metadata: {name: default}
spec:
  template:
    spec:
      nodeClassRef: {group: karpenter.kwok.sh, kind: KWOKNodeClass, name: default}
      requirements: []
---
`;
const SCENARIO = `apiVersion: karpenter-ts.dev/v1
kind: Scenario
metadata: {name: mine}
spec:
  workloads:
    - {name: web, requests: {cpu: 500m}}
  steps:
    - {at: 10s, scale: {workload: web, replicas: 5}}
`; // its first line is the 10th of the file

test('every scenario that comes with us can be called by its name', async () => {
  const names = readdirSync(SHIPPED).map((file) => file.replace('.yaml', ''));
  assert.ok(names.length >= 3);
  for (const name of names) assert.equal((await load(name)).name, name);
});

test('the example of the docs can be played', async () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/up.md'), 'utf8');
  const [, example] = /```yaml\n([\s\S]*?)```/.exec(page)!;
  assert.equal((await loadText(POOL + example)).spec.steps.length, 4);
});

test('a scenario is read with its pools and its defaults', async () => {
  const { name, objects, spec, placeOf } = await loadText(POOL + SCENARIO);
  assert.equal(name, 'mine');
  assert.deepEqual(
    objects.map(({ kind }) => kind),
    ['KWOKNodeClass', 'NodePool'],
  );
  assert.deepEqual(spec.workloads, [{ name: 'web', kind: 'Deployment', replicas: 1, requests: { cpu: '500m' } }]);
  assert.match(placeOf(['spec', 'workloads', 0]), /mine\.yaml:15$/);
});

test('what is wrong is named with field and line, all at once', async () => {
  const wrong = (from: string, to: string) => loadText((POOL + SCENARIO).replace(from, to));
  await assert.rejects(
    wrong('requests:', 'request:'),
    /mine\.yaml:15:\d+: error: .*unknown field "spec.workloads\[0\].request"\n\s+hint: did you mean/,
  );
  await assert.rejects(
    wrong('replicas: 5', 'replicas: few'),
    /:17:\d+: error: .*spec.steps\[0\].scale.replicas: Invalid value: "string"/,
  );
  await assert.rejects(wrong('at: 10s', 'at: soon'), /:17:\d+: error: .*spec.steps\[0\].at: Invalid value/);
  await assert.rejects(wrong('{at: 10s, scale', '{scale'), /:17:\d+: error: .*spec.steps\[0\].at: Required value/);
  await assert.rejects(
    wrong('scale: {workload: web', 'scale: {workload: wbe'),
    /:17:\d+: error: .*there is no workload "wbe"/,
  );
  await assert.rejects(
    wrong('{name: web, ', '{name: web, kind: DaemonSet, '),
    /:17:\d+: error: .*a DaemonSet cannot be scaled/,
  );
  await assert.rejects(
    wrong('at: 10s, ', 'at: 10s, delete: {nodes: 1}, '),
    /:17:\d+: error: .*must be one of scale, delete, edit, fault and aws/,
  );
  await assert.rejects(
    wrong('scale: {workload: web, replicas: 5}', 'delete: {}'),
    /:17:\d+: error: .*must name a workload or a number of nodes/,
  );
  await assert.rejects(
    wrong('scale: {workload: web, replicas: 5}', 'fault: {kind: lost, delay: 5s}'),
    /:17:\d+: error: .*delay goes with slow-drain/,
  );
  await assert.rejects(
    wrong('requirements: []', 'requirement: []'),
    /:8:\d+: error: NodePool "default": unknown field/,
  );
});

test('a file must hold one Scenario and a NodePool', async () => {
  await assert.rejects(loadText(SCENARIO), /holds no NodePool/);
  await assert.rejects(loadText(POOL), /holds 0 objects of kind Scenario instead of one/);
  await assert.rejects(loadText(`${POOL}${SCENARIO}---\n${SCENARIO}`), /holds 2 objects of kind Scenario/);
});

test('a step can only change a NodePool of its file', async () => {
  const edits = SCENARIO.replace('scale: {workload: web, replicas: 5}', 'edit: {nodePool: other, spec: {weight: 5}}');
  await assert.rejects(loadText(POOL + edits), /mine\.yaml holds no NodePool "other", and a step changes it/);
});

const AWS = (POOL + SCENARIO)
  .replace('group: karpenter.kwok.sh, kind: KWOKNodeClass', 'group: karpenter.k8s.aws, kind: EC2NodeClass')
  .replace('scale: {workload: web, replicas: 5}', 'aws: {interrupt: {nodes: 2}}');

test('a scenario with pools of EC2 is for AWS, and has a NodeClass of Amazon Linux 2023 unless it brings one', async () => {
  const { provider, objects } = await loadText(AWS);
  assert.equal(provider, 'aws');
  const [nodeClass] = objects as readonly (ApiObject & { readonly spec: { readonly amiSelectorTerms: unknown } })[];
  assert.equal(nodeClass?.kind, 'EC2NodeClass');
  assert.deepEqual(nodeClass.spec.amiSelectorTerms, [{ alias: 'al2023@latest' }]);
  assert.equal((await loadText(POOL + SCENARIO)).provider, 'kwok');
});

test('a scenario is not played with another provider than its own', async () => {
  writeFileSync(join(folder, 'aws.yaml'), AWS);
  await assert.rejects(
    loadScenario(join(folder, 'aws.yaml'), recordingIo(), 'kwok'),
    /aws\.yaml is a scenario for --provider aws, and was asked for with kwok/,
  );
});

test('what AWS cannot do is named with field and line', async () => {
  const wrong = (action: string) => loadText(AWS.replace('aws: {interrupt: {nodes: 2}}', action));
  await assert.rejects(
    wrong('aws: {interupt: {nodes: 2}}'),
    /:17:\d+: error: .*unknown field "spec.steps\[0\].aws.interupt"\n\s+hint: did you mean/,
  );
  await assert.rejects(
    wrong('aws: {}'),
    /:17:\d+: error: .*must be one of addRole, capacity, interrupt, kubernetesVersion, publishImages, removeRole and reserve/,
  );
  await assert.rejects(
    wrong('aws: {kubernetesVersion: v1.36}'),
    /:17:\d+: error: .*spec.steps\[0\].aws.kubernetesVersion: Invalid value: "v1.36"/,
  );
  await assert.rejects(
    wrong('aws: {publishImages: {version: latest}}'),
    /:17:\d+: error: .*spec.steps\[0\].aws.publishImages.version: Invalid value: "latest"/,
  );
  await assert.rejects(wrong('aws: {capacity: {zone: us-east-1a}}'), /:17:\d+: error: .*capacity.instances: Required/);
  await assert.rejects(
    wrong('aws: {capacity: {instances: 0, capacityType: reserved}}'),
    /:17:\d+: error: .*capacityType: Unsupported value: "reserved"/,
  );
  await assert.rejects(
    wrong('edit: {nodeClass: other, spec: {}}'),
    /mine\.yaml holds no EC2NodeClass "other", and a step changes it/,
  );
  await assert.rejects(
    wrong('edit: {nodeClass: default, nodePool: default, spec: {}}'),
    /:17:\d+: error: .*must name a nodePool or a nodeClass/,
  );
});

test('a name that is neither a file nor one of ours gets the list of ours', async () => {
  await assert.rejects(load('rush'), /there is no file rush, and no scenario of that name; there are .*scale-out/);
  await assert.rejects(load(join(folder, 'none.yaml')), /none\.yaml:1:1: error: no such file/);
});

test('a scenario can come from standard input', async () => {
  const io = recordingIo(readFileSync(join(SHIPPED, 'slow-drain.yaml'), 'utf8'));
  assert.equal((await loadScenario('-', io)).name, 'slow-drain');
});
