import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '../kinds/aws/ec2-node-class.ts';
import { type ValidatedEc2NodeClass, validateEc2NodeClass } from './ec2-node-class.ts';
import type { Problem } from './problem.ts';

const check = (spec: NonNullable<ValidatedEc2NodeClass['spec']>) =>
  validateEc2NodeClass({ spec }).map(({ severity, field, message }) => `${severity} ${field}: ${message}`);

test('an admitted EC2NodeClass is what the check takes', () => {
  const accepts: (nodeClass: EC2NodeClass) => readonly Problem[] = validateEc2NodeClass;
  assert.equal(accepts, validateEc2NodeClass);
  assert.deepEqual(check({ subnetSelectorTerms: [{ tags: { a: 'b' } }, { id: 'subnet-1' }] }), []);
});

test('a class without a spec cannot launch anything', () => {
  assert.deepEqual(validateEc2NodeClass({}), [{ field: 'spec', message: 'spec is missing', severity: 'error' }]);
});

test('tags the product sets itself are refused together', () => {
  const tags = {
    'kubernetes.io/cluster/my-cluster': 'owned',
    'eks:eks-cluster-name': 'a',
    'karpenter.sh/nodeclaim': 'a',
    'kubernetes.io/cluster/': 'admitted here, refused by the CRD',
    'karpenter.sh/custom': 'a',
  };
  assert.deepEqual(check({ tags }), [
    'error spec.tags: tags failed validation requirements ' +
      '(tags="eks:eks-cluster-name", "karpenter.sh/nodeclaim", "kubernetes.io/cluster/my-cluster")',
  ]);
});

test('01/72 a mixed term next to a good one is flagged', () => {
  assert.deepEqual(
    check({
      subnetSelectorTerms: [{ tags: { a: 'b' } }, { id: 'subnet-1', tags: { a: 'b' } }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }, { name: 'a', tags: { a: 'b' } }],
      capacityReservationSelectorTerms: [{ id: 'cr-1', ownerID: '123456789012' }],
    }),
    [
      "warning spec.subnetSelectorTerms[1].id: 'id' is mutually exclusive, cannot be set with a combination of other fields in a subnet selector term",
      "warning spec.securityGroupSelectorTerms[1].name: 'name' is mutually exclusive, cannot be set with a combination of other fields in a security group selector term",
      "warning spec.capacityReservationSelectorTerms[0].id: 'id' is mutually exclusive, cannot be set along with other fields in a capacity reservation selector term",
    ],
  );
});

test('01/72 empty tags select nothing by themselves', () => {
  assert.deepEqual(check({ subnetSelectorTerms: [{ tags: {} }], amiSelectorTerms: [{ tags: {}, owner: 'self' }] }), [
    'error spec.subnetSelectorTerms[0]: subnetSelectorTerms[0] has no criterion but empty tags, which would select everything',
    'error spec.amiSelectorTerms[0]: amiSelectorTerms[0] has no criterion but empty tags, which would select everything',
  ]);
  assert.deepEqual(check({ subnetSelectorTerms: [{ tags: {}, id: 'subnet-1' }] }), []);
});

test('an id must be one from end to end', () => {
  assert.deepEqual(
    check({ subnetSelectorTerms: [{ id: 'xx-subnet-1 yy' }], securityGroupSelectorTerms: [{ id: 'sg-0a1' }] }),
    [
      'warning spec.subnetSelectorTerms[0].id: id "xx-subnet-1 yy" matches nothing, it is not of the form ^subnet-[0-9a-z]+$',
    ],
  );
});

test('an alias with a second @ is refused', () => {
  assert.deepEqual(check({ amiSelectorTerms: [{ alias: 'al2@v1@x' }] }), [
    `error spec.amiSelectorTerms[0].alias: alias "al2@v1@x" has more than one '@', must match the format 'family@version'`,
  ]);
});

test('a volume size without a number is refused', () => {
  const mappings = ['20Gi', 'Ti', 'T'].map((volumeSize) => ({ ebs: { volumeSize } }));
  assert.deepEqual(check({ blockDeviceMappings: mappings }), [
    'error spec.blockDeviceMappings[1].ebs.volumeSize: spec.blockDeviceMappings[1].ebs.volumeSize: "Ti" must be a positive resource quantity',
    'error spec.blockDeviceMappings[2].ebs.volumeSize: spec.blockDeviceMappings[2].ebs.volumeSize: "T" must be a positive resource quantity',
  ]);
});

test('kubelet settings must be readable; an empty threshold is a warning', () => {
  const problems = validateEc2NodeClass({
    spec: {
      kubelet: {
        systemReserved: { cpu: '100m', memory: '1e1.5' },
        evictionHard: { 'memory.available': '', 'nodefs.available': '10%', 'pid.available': '1.5' },
        evictionSoftGracePeriod: { 'memory.available': '1m', 'nodefs.available': 'soon' },
      },
    },
  });
  assert.deepEqual(
    problems.map(({ severity, message }) => `${severity} ${message}`),
    [
      'error spec.kubelet.systemReserved[memory]: "1e1.5" must be a resource quantity',
      'error spec.kubelet.evictionSoftGracePeriod[nodefs.available]: "soon" must be a duration',
      'warning spec.kubelet.evictionHard[memory.available]: an empty threshold counts as unset',
    ],
  );
});
