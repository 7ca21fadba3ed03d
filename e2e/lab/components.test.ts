import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COMPONENT_NAMES, COMPONENTS, getComponentNames, getVersion } from './components.ts';
import { LabError } from './lab-error.ts';

test('every component has the version that its go.mod requires', () => {
  const versions = Object.fromEntries(COMPONENT_NAMES.map((name) => [name, getVersion(name)]));
  assert.deepEqual(versions, {
    etcd: 'v3.6.8',
    'kube-apiserver': 'v1.35.4',
    'kube-controller-manager': 'v1.35.4',
    'kube-scheduler': 'v1.35.4',
    kubectl: 'v1.35.4',
    kwok: 'v0.8.0',
    helm: 'v4.3.1',
    'karpenter-aws': 'v1.14.1',
  });
});

test('Kubernetes binaries are told their version, its major and its minor', () => {
  assert.deepEqual(COMPONENTS.kubectl.linkVariables('v1.35.4'), {
    'k8s.io/component-base/version.gitVersion': 'v1.35.4',
    'k8s.io/component-base/version.gitMajor': '1',
    'k8s.io/component-base/version.gitMinor': '35',
  });
});

test('an unknown component is refused with the list of the known ones', () => {
  assert.deepEqual(getComponentNames(['kwok', 'helm']), ['kwok', 'helm']);
  assert.throws(
    () => getComponentNames(['kwok', 'kubelet', 'toString']),
    (error) => error instanceof LabError && /no such component: kubelet, toString; there are etcd,/.test(error.message),
  );
});
