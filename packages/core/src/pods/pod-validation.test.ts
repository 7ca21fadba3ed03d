import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import type { Pod } from '@karpenter-ts/kubernetes';
import { pendingPod } from '../testing/cluster-objects.ts';
import { isOptOut, renderRejection } from '../state/pod-failure.ts';
import { PodValidation } from './pod-validation.ts';

type Expression = { readonly key: string; readonly operator: string; readonly values?: readonly string[] };

const NOTHING = new Map<string, never>();
const objects = { persistentVolumeClaims: NOTHING, persistentVolumes: NOTHING, storageClasses: NOTHING };

function start() {
  const validation = new PodValidation({ provider: new FakeCloudProvider(), objects });
  const reject = (pod: Pod) => {
    const rejection = validation.findRejection(pod);
    return rejection && { reason: renderRejection(rejection), isOptOut: isOptOut(rejection) };
  };
  return { validation, reject };
}

/** A pod with these alternatives as its required node affinity. */
function requiring(...terms: readonly (readonly Expression[])[]): Pod {
  const nodeSelectorTerms = terms.map((matchExpressions) => ({ matchExpressions }));
  return pendingPod('a', {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
}

function preferring(...preferred: readonly (readonly [weight: number, ...Expression[]])[]): Pod {
  const terms = preferred.map(([weight, ...matchExpressions]) => ({ weight, preference: { matchExpressions } }));
  return pendingPod('a', {
    affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } },
  });
}

const NO_POOL: Expression = { key: NODEPOOL_LABEL, operator: 'DoesNotExist' };
const OPT_OUT =
  'configured to not run on a Karpenter provisioned node (requirement=karpenter.sh/nodepool DoesNotExist)';

test('a pod that asks for nothing in particular is fine', () => {
  assert.equal(start().reject(pendingPod('a')), undefined);
});

test('02/8 a pod that must not run on a node of ours is left alone, on purpose', () => {
  const { reject } = start();
  assert.deepEqual(reject(requiring([NO_POOL])), { reason: OPT_OUT, isOptOut: true });
  const torn = { ...requiring([{ key: NODEPOOL_LABEL, operator: 'In', values: ['a'] }]) };
  const selecting = { ...torn, spec: { ...torn.spec, nodeSelector: { [NODEPOOL_LABEL]: 'b' } } };
  assert.deepEqual(reject(selecting), { reason: OPT_OUT, isOptOut: true }); // no pool is both
});

test('the first alternative and the heaviest preference decide whether a pod opts out', () => {
  const { reject } = start();
  const other: Expression = { key: 'team', operator: 'Exists' };
  assert.equal(reject(requiring([other], [NO_POOL])), undefined);
  assert.equal(reject(requiring([NO_POOL], [other]))?.isOptOut, true);
  assert.equal(reject(preferring([1, NO_POOL], [10, other])), undefined);
  assert.equal(reject(preferring([1, other], [10, NO_POOL]))?.isOptOut, true);
  assert.equal(reject(preferring([10, other], [10, NO_POOL])), undefined);
});

test('02/9 a pod that asks for a hostname is left alone and told so', () => {
  const rejection = start().reject(
    requiring([{ key: 'kubernetes.io/hostname', operator: 'In', values: ['red-node'] }]),
  );
  assert.equal(rejection?.isOptOut, false);
  assert.match(rejection?.reason ?? '', /^using label kubernetes\.io\/hostname is not allowed as it might interfere/);
});

test('02/10 labels of reserved domains cannot be asked for, well-known ones and those of Kubernetes can', () => {
  const { reject } = start();
  const selecting = (key: string) => reject(pendingPod('a', { nodeSelector: { [key]: 'x' } }));
  for (const key of ['karpenter.sh/custom', 'sub.karpenter.sh/custom', 'karpenter.sh/initialized']) {
    assert.match(selecting(key)?.reason ?? '', new RegExp(`^using label ${key} is not allowed`), key);
  }
  for (const key of ['kubernetes.io/custom', 'sub.k8s.io/custom', 'topology.kubernetes.io/zone', NODEPOOL_LABEL]) {
    assert.equal(selecting(key), undefined, key);
  }
});

test('02/11 fields cannot be asked for', () => {
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: ['a'] }] };
  const pod = pendingPod('a', {
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  });
  assert.equal(start().reject(pod)?.reason, 'node selector term with matchFields is not supported');
});

test('02/12 a value nobody knows is reported beside one that is known, and refused alone', () => {
  const { validation, reject } = start();
  const asking = (...values: readonly string[]) =>
    requiring([{ key: 'karpenter.sh/capacity-type', operator: 'In', values }]);
  assert.equal(reject(asking('spot', 'bogus')), undefined);
  assert.equal(reject(asking('spot', 'bogus')), undefined); // a second pod is not news
  assert.deepEqual(validation.unknownValues, [
    { key: 'karpenter.sh/capacity-type', valid: ['spot'], invalid: ['bogus'] },
  ]);
  assert.equal(
    reject(asking('bogus'))?.reason,
    'no valid values found in [bogus] for karpenter.sh/capacity-type, ' +
      'expected one of: map[on-demand:{} reserved:{} spot:{}], got: [bogus]',
  );
});

test('all that is wrong is told at once, selectors before affinities, in the order of their keys', () => {
  const pod = requiring([{ key: 'size', operator: 'Near', values: ['x'] }], [{ key: 'size', operator: 'In' }]);
  const { reason } = start().reject({ ...pod, spec: { ...pod.spec, nodeSelector: { '-b': 'x', '-a': 'y' } } })!;
  const texts = reason.split('; ').map((text) => text.slice(0, 35));
  assert.deepEqual(texts, [
    'key -a is not a qualified name, nam',
    'key -b is not a qualified name, nam',
    'key size has an unsupported operato',
    'key size with operator In must have',
  ]);
});

test('preferences are not checked, and bounds must be whole numbers from zero on', () => {
  const { reject } = start();
  assert.equal(reject(preferring([1, { key: 'karpenter.sh/custom', operator: 'In', values: ['x'] }])), undefined);
  assert.equal(reject(requiring([{ key: 'size', operator: 'Gt', values: ['1'] }])), undefined);
  assert.equal(
    reject(requiring([{ key: 'size', operator: 'Gt', values: ['x'] }]))?.reason,
    'key size with operator Gt must have a single positive integer value',
  );
});
