import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ARCH_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type {
  NodeSelectorRequirement,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodSpec,
  StorageClass,
  TopologySelectorTerm,
} from '@karpenter-ts/kubernetes';
import type { Volumes } from '../snapshot.ts';
import { makeNode, makePod, makePool } from '../testing/builders.ts';
import { is } from '../testing/fake-types.ts';
import { APP, away, onNodes, podsWith, spreadOver, where } from '../testing/pod-parts.ts';
import { failureOf, valuesOf, TestEnvironment } from '../testing/test-environment.ts';

const HOSTNAME = 'kubernetes.io/hostname';

test('02/72 a node takes volumes up to its limit; a claim many pods share counts once', () => {
  const claims = Array.from({ length: 12 }, (_, i) => claim(`c-${i}`, { storageClassName: 'fast' }));
  const volumes = having({ volumeClaims: claims, storageClasses: [storageClass('fast')] });
  const nodes = [makeNode('limited', { allocatable: ROOMY, volumeLimits: { 'csi.test': 10 } })];
  const pods = Array.from({ length: 6 }, (_, i) => mounting(`pod-${i}`, `c-${2 * i}`, `c-${2 * i + 1}`));
  const plan = new TestEnvironment({ volumes, nodes }).plan(...pods);
  assert.equal(plan.existingNodes[0]!.pods.length, 5);
  assert.equal(plan.newNodes.length, 1);
  const sharing = Array.from({ length: 100 }, (_, i) => mounting(`pod-${i}`, 'c-0'));
  assert.equal(new TestEnvironment({ volumes, nodes }).plan(...sharing).newNodes.length, 0);
});

test('volumes without a claim are passed over, those after them count', () => {
  const claims = [claim('c-0', { storageClassName: 'fast' })];
  const volumes = having({ volumeClaims: claims, storageClasses: [storageClass('fast')] });
  const nodes = [makeNode('limited', { allocatable: ROOMY, volumeLimits: { 'csi.test': 0 } })];
  const pod = mounting('a', 'c-0');
  const scratch = { ...pod, spec: { ...pod.spec, volumes: [{ name: 'scratch' }, ...pod.spec.volumes!] } };
  assert.equal(new TestEnvironment({ volumes, nodes }).plan(scratch).newNodes.length, 1);
});

test('a term of topology that says nothing opens nothing', () => {
  const zone = 'test-zone-2';
  const zonesOf = (volumes: Volumes) =>
    valuesOf(new TestEnvironment({ volumes }).plan(mounting('a', 'c')).newNodes[0]!, ZONE_LABEL);
  const ofClass = having({
    volumeClaims: [claim('c', { storageClassName: 'zonal' })],
    storageClasses: [storageClass('zonal', {}, zoneTerm(zone))],
  });
  const ofVolume = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, [], [where(ZONE_LABEL, 'In', zone)])],
  });
  assert.deepEqual([zonesOf(ofClass), zonesOf(ofVolume)], [[zone], [zone]]);
});

test('a node over its limit takes no pod, not even one without volumes', () => {
  const claims = [claim('c-0', { storageClassName: 'fast' }), claim('c-1', { storageClassName: 'fast' })];
  const volumes = having({ volumeClaims: claims, storageClasses: [storageClass('fast')] });
  const full = makeNode('full', { pods: [mounting('a', 'c-0', 'c-1')], volumeLimits: { 'csi.test': 1 } });
  assert.equal(new TestEnvironment({ volumes, nodes: [full] }).plan(makePod('b')).newNodes.length, 1);
});

test('02/73 a volume without a CSI driver has no limit', () => {
  const claims = Array.from({ length: 5 }, (_, i) => claim(`c-${i}`, { volumeName: `pv-${i}` }));
  const persistentVolumes = claims.map((_, i) => volume(`pv-${i}`, {}));
  const nodes = [makeNode('limited', { allocatable: ROOMY, volumeLimits: { 'csi.test': 1 } })];
  const pods = claims.map((_, i) => mounting(`pod-${i}`, `c-${i}`));
  assert.equal(
    new TestEnvironment({ volumes: having({ volumeClaims: claims, persistentVolumes }), nodes }).plan(...pods).newNodes
      .length,
    0,
  );
});

test('02/74 what a volume needs and is not there fails the pod and no other; a bound claim needs no storage class', () => {
  const missing = {
    claim: having({}),
    storageClass: having({ volumeClaims: [claim('c', { storageClassName: 'gone' })] }),
    volume: having({ volumeClaims: [claim('c', { volumeName: 'gone' })] }),
  };
  for (const volumes of Object.values(missing)) {
    const plan = new TestEnvironment({ volumes }).plan(mounting('a', 'c'), makePod('b'));
    assert.match(failureOf(plan, makePod('a'))!, /^failed getting volume topology requirements \(/);
    assert.equal(plan.newNodes[0]!.pods.length, 1);
  }
  const bound = having({
    volumeClaims: [claim('c', { volumeName: 'pv', storageClassName: 'gone' })],
    persistentVolumes: [volume('pv', {})],
  });
  assert.equal(new TestEnvironment({ volumes: bound }).plan(mounting('a', 'c')).newNodes.length, 1);
});

test('02/76 zones of the storage class, of the volume and of the pod narrow together', () => {
  const classFor = (...zones: readonly string[]) =>
    having({
      volumeClaims: [claim('c', { storageClassName: 'zonal' })],
      storageClasses: [storageClass('zonal', zoneTerm(...zones))],
    });
  const pod = (...zones: readonly string[]) =>
    mounting('a', 'c', { affinity: onNodes([where(ZONE_LABEL, 'In', ...zones)]) });
  const zones = (volumes: Volumes, ...asked: readonly string[]) => {
    const [node] = new TestEnvironment({ volumes }).plan(pod(...asked)).newNodes;
    return node && valuesOf(node, ZONE_LABEL);
  };
  assert.deepEqual(zones(classFor('test-zone-2', 'test-zone-3'), 'test-zone-1', 'test-zone-3'), ['test-zone-3']);
  assert.equal(zones(classFor('test-zone-2'), 'test-zone-1', 'test-zone-3'), undefined);
  const inZone3 = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, [where(ZONE_LABEL, 'In', 'test-zone-3')])],
  });
  assert.deepEqual(zones(inZone3, 'test-zone-1', 'test-zone-3'), ['test-zone-3']);
});

test('02/77 02/162 alternatives of a volume or a storage class are tried until one has a place', () => {
  const apart = { labels: APP, affinity: away(podsWith(ZONE_LABEL)) };
  const terms = [[where(ZONE_LABEL, 'In', 'test-zone-1')], [where(ZONE_LABEL, 'In', 'test-zone-2')]];
  const byVolume = having({
    volumeClaims: [claim('a', { volumeName: 'pv' }), claim('b', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, ...terms)],
  });
  const byClass = having({
    volumeClaims: [claim('a', { storageClassName: 'zonal' }), claim('b', { storageClassName: 'zonal' })],
    storageClasses: [storageClass('zonal', zoneTerm('test-zone-1'), zoneTerm('test-zone-2'))],
  });
  for (const volumes of [byVolume, byClass]) {
    const plan = new TestEnvironment({ volumes }).plan(mounting('a', 'a', apart), mounting('b', 'b', apart));
    assert.deepEqual(
      plan.newNodes.map((node) => valuesOf(node, ZONE_LABEL)),
      [['test-zone-1'], ['test-zone-2']],
    );
  }
});

test('02/78 of two volumes only the combinations that can hold are tried', () => {
  const zone = (n: number) => where(ZONE_LABEL, 'In', `test-zone-${n}`);
  const volumes = having({
    volumeClaims: [claim('a', { volumeName: 'pv-a' }), claim('b', { volumeName: 'pv-b' })],
    persistentVolumes: [
      volume('pv-a', {}, [zone(2)], [zone(1)]),
      volume('pv-b', {}, [zone(3)], [zone(1), where('special', 'In', 'optional')]),
    ],
  });
  const [node] = new TestEnvironment({ volumes }).plan(mounting('pod', 'a', 'b')).newNodes;
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-1']);
  assert.deepEqual(node!.instanceTypes, ['arm-instance-type']);
});

test('a claim is the one in the namespace of the pod, which is `default` if none is given', () => {
  const inZone = (n: number, metadata: PersistentVolumeClaim['metadata']) => ({
    claim: { metadata, spec: { volumeName: `pv-${n}` } },
    volume: volume(`pv-${n}`, {}, [where(ZONE_LABEL, 'In', `test-zone-${n}`)]),
  });
  const both = [inZone(1, { name: 'c' }), inZone(2, { name: 'c', namespace: 'other' })];
  const volumes = having({
    volumeClaims: both.map(({ claim: one }) => one),
    persistentVolumes: both.map(({ volume: one }) => one),
  });
  const zonesFor = (namespace?: string) => {
    const pod = mounting('a', 'c');
    const [node] = new TestEnvironment({ volumes }).plan({ ...pod, metadata: { name: 'a', namespace } }).newNodes;
    return valuesOf(node!, ZONE_LABEL);
  };
  assert.deepEqual(
    [zonesFor(), zonesFor('default'), zonesFor('other')],
    [['test-zone-1'], ['test-zone-1'], ['test-zone-2']],
  );
});

test('volumes that can never be together leave the pod unschedulable, and it says so', () => {
  const volumes = having({
    volumeClaims: [claim('a', { volumeName: 'pv-1' }), claim('b', { volumeName: 'pv-2' })],
    persistentVolumes: [1, 2].map((n) => volume(`pv-${n}`, {}, [where(ZONE_LABEL, 'In', `test-zone-${n}`)])),
  });
  const pod = mounting('pod', 'a', 'b');
  assert.equal(
    failureOf(new TestEnvironment({ volumes }).plan(pod), pod),
    `incompatible volume requirements, key ${ZONE_LABEL}, ${ZONE_LABEL} In [test-zone-2] not in ${ZONE_LABEL} In [test-zone-1]`,
  );
});

test('02/79 02/163 a hostname binds a volume unless it is on the node itself', () => {
  const environment = (
    spec: Partial<PersistentVolume['spec']>,
    ...terms: readonly (readonly NodeSelectorRequirement[])[]
  ) =>
    new TestEnvironment({
      volumes: having({
        volumeClaims: [claim('c', { volumeName: 'pv' })],
        persistentVolumes: [volume('pv', spec, ...terms)],
      }),
    }).plan(mounting('a', 'c')).newNodes.length;
  const there = [where(HOSTNAME, 'In', 'some-node')];
  assert.equal(environment({ local: {} }, there), 1);
  assert.equal(environment({ hostPath: {} }, there), 1);
  assert.equal(environment({ csi: { driver: 'csi.test' } }, there), 0);
  assert.equal(environment({ local: {} }, there, [where(ZONE_LABEL, 'In', 'invalid')]), 1);
});

test('02/80 relaxing required terms keeps the zone of the volume', () => {
  const volumes = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, [where(ZONE_LABEL, 'In', 'test-zone-3')])],
  });
  const affinity = onNodes([where('unknown', 'In', 'x')], [where(ZONE_LABEL, 'Exists')]);
  const [node] = new TestEnvironment({ volumes }).plan(mounting('a', 'c', { affinity })).newNodes;
  assert.deepEqual(valuesOf(node!, ZONE_LABEL), ['test-zone-3']);
});

test('02/81 the zone of a volume does not narrow the domains a spread counts', () => {
  const volumes = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, [where(ZONE_LABEL, 'In', 'test-zone-1')])],
  });
  const nodes = [1, 2, 3].map((n) =>
    makeNode(`node-${n}`, {
      labels: { [ZONE_LABEL]: `test-zone-${n}`, [HOSTNAME]: `node-${n}` },
      pods: [makePod(`old-${n}`, { labels: APP })],
    }),
  );
  const environment = new TestEnvironment({ volumes, nodes });
  const spread = [spreadOver(ZONE_LABEL, { minDomains: 3 })];
  const plan = environment.schedule(mounting('a', 'c', { labels: APP, topologySpreadConstraints: spread }));
  assert.deepEqual(plan.unschedulable, []);
  assert.deepEqual(environment.counts(ZONE_LABEL), [1, 1, 2]);
  assert.equal(environment.domains(ZONE_LABEL).get('test-zone-1'), 2);
});

test('a planned node that a rule closed to a volume’s zone for now is asked again when the rule opens it', () => {
  const volumes = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', {}, [where(ZONE_LABEL, 'In', 'test-zone-1')])],
  });
  const spread = { labels: APP, topologySpreadConstraints: [spreadOver(ZONE_LABEL)] };
  const asking = (cpu: string) => ({ containers: [{ name: 'main', resources: { requests: { cpu } } }] });
  const on = (arch: string, zone?: string) => ({
    nodeSelector: { [ARCH_LABEL]: arch, ...(zone && { [ZONE_LABEL]: zone }) },
  });
  const pools = [makePool('default', { requirements: [is(ZONE_LABEL, 'test-zone-1', 'test-zone-2')] })];
  const plan = new TestEnvironment({ pools, volumes }).plan(
    makePod('first', { ...spread, ...asking('3.5'), ...on('amd64', 'test-zone-1') }),
    makePod('open', { ...asking('2.5'), ...on('amd64') }),
    mounting('bound', 'c', { ...spread, ...asking('1') }), // may be in zone 1 once another is in zone 2
    makePod('second', { ...spread, ...asking('0.5'), ...on('arm64', 'test-zone-2') }),
  );
  const names = plan.newNodes.map(({ pods }) => pods.map(({ pod }) => pod.metadata.name).join(' '));
  assert.deepEqual(names, ['first', 'open bound', 'second']);
});

test('02/82 volumes that Kubernetes once handled itself count for the driver that took over', () => {
  const nodes = [makeNode('full', { volumeLimits: { 'ebs.csi.aws.com': 0 } })];
  const byClass = having({
    volumeClaims: [claim('c', { storageClassName: 'old' })],
    storageClasses: [storageClassOf('old', 'kubernetes.io/aws-ebs')],
  });
  const byVolume = having({
    volumeClaims: [claim('c', { volumeName: 'pv' })],
    persistentVolumes: [volume('pv', { awsElasticBlockStore: {} })],
  });
  for (const volumes of [byClass, byVolume]) {
    assert.equal(new TestEnvironment({ volumes, nodes }).plan(mounting('a', 'c')).newNodes.length, 1);
  }
});

test('02/165 an ephemeral volume is the claim named after pod and volume, limits included', () => {
  const ephemeral = (name: string) => makePod(name, { volumes: [{ name: 'tmp', ephemeral: {} }] });
  const volumes = having({
    volumeClaims: [claim('a-tmp', { storageClassName: 'fast' }), claim('b-tmp', { storageClassName: 'fast' })],
    storageClasses: [storageClass('fast')],
  });
  const nodes = [makeNode('limited', { volumeLimits: { 'csi.test': 1 } })];
  const plan = new TestEnvironment({ volumes, nodes }).plan(ephemeral('a'), ephemeral('b'));
  assert.equal(plan.existingNodes[0]!.pods.length, 1);
  assert.equal(plan.newNodes.length, 1);
  assert.equal(new TestEnvironment().plan(ephemeral('a')).newNodes.length, 0);
});

const ROOMY = { cpu: '100', memory: '100Gi', pods: '1000' };

function having(parts: Partial<Volumes>): Volumes {
  return { volumeClaims: [], persistentVolumes: [], storageClasses: [], ...parts };
}

function claim(name: string, spec: PersistentVolumeClaim['spec']): PersistentVolumeClaim {
  return { metadata: { name, namespace: 'default' }, spec };
}

function volume(
  name: string,
  spec: Partial<PersistentVolume['spec']>,
  ...terms: readonly (readonly NodeSelectorRequirement[])[]
): PersistentVolume {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return {
    metadata: { name },
    spec: { ...spec, ...(terms.length > 0 && { nodeAffinity: { required: { nodeSelectorTerms } } }) },
  };
}

function storageClass(name: string, ...allowedTopologies: readonly TopologySelectorTerm[]): StorageClass {
  return { ...storageClassOf(name, 'csi.test'), allowedTopologies };
}

function storageClassOf(name: string, provisioner: string): StorageClass {
  return { metadata: { name }, provisioner };
}

function zoneTerm(...values: readonly string[]): TopologySelectorTerm {
  return { matchLabelExpressions: [{ key: ZONE_LABEL, values }] };
}

type Extra = PodSpec & { readonly labels?: Readonly<Record<string, string>> };

function mounting(name: string, ...parts: readonly (string | Extra)[]): Pod {
  const claims = parts.filter((part) => typeof part === 'string');
  const extra = parts.find((part) => typeof part === 'object') ?? {};
  const volumes = claims.map((claimName, i) => ({ name: `v-${i}`, persistentVolumeClaim: { claimName } }));
  return makePod(name, { ...extra, volumes });
}
