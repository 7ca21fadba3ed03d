import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { RESOURCES } from '../kinds/registry.ts';
import { customResourceDefinition } from './crd.ts';
import { toYaml } from './yaml.ts';

test('every kind has one version, served and stored, with a status and no conversion', () => {
  for (const resource of Object.values(RESOURCES).flat()) {
    const { spec } = customResourceDefinition(resource) as {
      spec: { versions: readonly { served: boolean; storage: boolean; subresources: object }[]; conversion?: unknown };
    };
    assert.equal(spec.versions.length, 1);
    assert.equal(spec.conversion, undefined);
    const [version] = spec.versions;
    assert.deepEqual([version!.served, version!.storage, 'status' in version!.subresources], [true, true, true]);
  }
});

test('names, short names and categories are what people type', () => {
  const names = RESOURCES.aws.map((resource) => {
    const { metadata, spec } = customResourceDefinition(resource) as {
      metadata: { name: string };
      spec: {
        scope: string;
        names: { singular: string; shortNames?: readonly string[]; categories: readonly string[] };
      };
    };
    return [
      metadata.name,
      spec.names.singular,
      spec.scope,
      spec.names.shortNames?.join() ?? '',
      spec.names.categories.join(),
    ].join(' ');
  });
  assert.deepEqual(names, [
    'nodepools.karpenter.sh nodepool Cluster  karpenter',
    'nodeclaims.karpenter.sh nodeclaim Cluster  karpenter',
    'nodeoverlays.karpenter.sh nodeoverlay Cluster overlays karpenter',
    'capacitybuffers.autoscaling.x-k8s.io capacitybuffer Namespaced cb autoscaling',
    'ec2nodeclasses.karpenter.k8s.aws ec2nodeclass Cluster ec2nc,ec2ncs karpenter',
  ]);
});

test('the YAML means the same to readers of YAML 1.1 and 1.2', () => {
  const tricky = {
    a: 'yes',
    b: 'on',
    c: '010',
    d: '1_000',
    e: 'null',
    f: '1:30',
    g: '- x',
    h: 'two\nlines\n',
    i: '2026-01-01',
  };
  const text = toYaml(tricky);
  assert.deepEqual(parse(text, { version: '1.1' }), tricky);
  assert.deepEqual(parse(text, { version: '1.2' }), tricky);
});

test('columns of kubectl get -o wide are marked, and replicas can be scaled', () => {
  const { spec } = customResourceDefinition(RESOURCES.core[0]!) as {
    spec: {
      versions: readonly [
        { additionalPrinterColumns: readonly { name: string; priority?: number }[]; subresources: unknown },
      ];
    };
  };
  const columns = spec.versions[0].additionalPrinterColumns.map(({ name, priority = 0 }) => `${name}${priority}`);
  assert.deepEqual(columns, ['NodeClass0', 'Nodes0', 'Ready0', 'Age0', 'Weight1', 'CPU1', 'Memory1']);
  assert.deepEqual(spec.versions[0].subresources, {
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
    status: {},
  });
});
