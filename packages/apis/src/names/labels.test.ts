import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeClassLabel } from './labels.ts';
import {
  AWS_PROFILE,
  CORE_PROFILE,
  findLabelRestriction,
  KWOK_PROFILE,
  normalizeLabelKey,
  type ProviderProfile,
} from './provider-profile.ts';

const isAllowed = (key: string, profile: ProviderProfile) => findLabelRestriction(key, profile) === undefined;

test('well-known labels are allowed although their domain is restricted', () => {
  for (const profile of [CORE_PROFILE, KWOK_PROFILE, AWS_PROFILE]) {
    for (const key of profile.wellKnownLabels) assert.equal(isAllowed(key, profile), true, key);
  }
});

test('a restricted domain covers its subdomains, and nothing that merely ends alike', () => {
  assert.equal(isAllowed('karpenter.sh/custom', CORE_PROFILE), false);
  assert.equal(isAllowed('a.b.karpenter.sh/custom', CORE_PROFILE), false);
  assert.equal(isAllowed('mykarpenter.sh/custom', CORE_PROFILE), true);
  assert.equal(isAllowed('karpenter.sh', CORE_PROFILE), true);
  assert.equal(isAllowed('kubernetes.io/anything', CORE_PROFILE), true);
  assert.equal(isAllowed('kubernetes.io/hostname', CORE_PROFILE), false);
});

test('each provider restricts its own domain and knows its own labels', () => {
  assert.equal(isAllowed('karpenter.k8s.aws/custom', CORE_PROFILE), true);
  assert.equal(isAllowed('karpenter.k8s.aws/custom', AWS_PROFILE), false);
  assert.equal(isAllowed('karpenter.k8s.aws/ec2nodeclass', AWS_PROFILE), false);
  assert.equal(isAllowed('karpenter.k8s.aws/instance-pods', AWS_PROFILE), false);
  assert.equal(isAllowed('karpenter.kwok.sh/custom', KWOK_PROFILE), false);
  assert.equal(AWS_PROFILE.wellKnownLabels.size, 36);
  assert.equal(KWOK_PROFILE.wellKnownLabels.size, 12);
});

test('the restriction names what may be used instead, sorted', () => {
  assert.equal(
    findLabelRestriction('karpenter.sh/custom', CORE_PROFILE),
    'using label karpenter.sh/custom is not allowed as it might interfere with the internal provisioning logic; ' +
      'specify a well known label: [karpenter.sh/capacity-type karpenter.sh/nodepool kubernetes.io/arch kubernetes.io/os ' +
      'node.kubernetes.io/instance-type node.kubernetes.io/windows-build topology.kubernetes.io/region ' +
      'topology.kubernetes.io/zone], or a custom label that does not use a restricted domain: [karpenter.sh]',
  );
  assert.match(
    findLabelRestriction('karpenter.sh/custom', AWS_PROFILE) ?? '',
    /restricted domain: \[karpenter\.k8s\.aws karpenter\.sh\]$/,
  );
});

test('the EBS topology key is legacy on AWS only', () => {
  assert.equal(normalizeLabelKey('topology.ebs.csi.aws.com/zone', AWS_PROFILE), 'topology.kubernetes.io/zone');
  assert.equal(normalizeLabelKey('topology.ebs.csi.aws.com/zone', CORE_PROFILE), 'topology.ebs.csi.aws.com/zone');
  assert.equal(normalizeLabelKey('beta.kubernetes.io/os', KWOK_PROFILE), 'kubernetes.io/os');
});

test('the node class label is the group and the kind in lower case', () => {
  assert.equal(nodeClassLabel({ group: 'karpenter.k8s.aws', kind: 'EC2NodeClass' }), 'karpenter.k8s.aws/ec2nodeclass');
});
