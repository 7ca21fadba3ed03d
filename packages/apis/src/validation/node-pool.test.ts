import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodePool } from '../kinds/core/node-pool.ts';
import {
  AWS_PROFILE,
  CORE_PROFILE,
  findLabelRestriction,
  KWOK_PROFILE,
  type ProviderProfile,
} from '../names/provider-profile.ts';
import type { RequirementSpec } from '../requirements/requirement.ts';
import type { Taint } from '@karpenter-ts/kubernetes';
import { type ValidatedNodePool, validateNodePool } from './node-pool.ts';
import { findConditionMessage, type Problem } from './problem.ts';

interface Draft {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  readonly requirements?: readonly RequirementSpec[];
  readonly budgets?: NodePool['spec']['disruption']['budgets'];
}

function check(
  { labels, taints, startupTaints, requirements = [], budgets }: Draft,
  profile: ProviderProfile = AWS_PROFILE,
) {
  const pool: ValidatedNodePool = {
    spec: {
      template: { metadata: { labels }, spec: { taints, startupTaints, requirements } },
      disruption: { budgets },
    },
  };
  return validateNodePool(pool, profile);
}

const message = (draft: Draft, profile?: ProviderProfile) => findConditionMessage(check(draft, profile)) ?? '';
const requirement = (key: string, operator: string, ...values: string[]) => ({ key, operator, values });
const warnings = (problems: readonly Problem[]) =>
  problems.filter(({ severity }) => severity === 'warning').map(({ field, message: text }) => `${field}: ${text}`);

test('an admitted NodePool is what the check takes', () => {
  const accepts: (pool: NodePool, profile: ProviderProfile) => readonly Problem[] = validateNodePool;
  assert.equal(accepts, validateNodePool);
  assert.deepEqual(check({}), []);
});

test('01/11 taints with a bad key, value or effect are refused', () => {
  for (const key of ['test.com.com}', 'Test.com/test', 'test/test/test', 'test/', '/test', '']) {
    const [problem] = check({ taints: [{ key, effect: 'NoSchedule' }] });
    assert.equal(problem?.field, 'spec.template.spec.taints[0].key', key);
    assert.match(problem.message, /^invalid value: .+ in taints$/);
  }
  assert.match(message({ startupTaints: [{ key: 'a', value: '???', effect: 'NoSchedule' }] }), / in startupTaints$/);
  assert.equal(message({ taints: [{ key: 'a', effect: '???' }] }), 'invalid value: "???" in taints');
});

test('01/12 a key may have two effects, but each once over both lists', () => {
  const taint = { key: 'a', effect: 'NoSchedule' };
  assert.equal(message({ taints: [taint, { key: 'a', effect: 'NoExecute' }] }), '');
  const [problem] = check({ taints: [taint], startupTaints: [{ ...taint, value: 'b' }] });
  assert.equal(problem?.message, 'duplicate taint Key/Effect pair a=NoSchedule');
  assert.equal(problem.field, 'spec.template.spec.startupTaints[0]');
});

test('01/13 a prefix beyond 253 or a name beyond 63 characters is refused everywhere', () => {
  for (const key of [`test.com.test.${'a'.repeat(250)}/test`, `test.com.test/test-${'a'.repeat(250)}`]) {
    assert.match(message({ taints: [{ key, effect: 'NoSchedule' }] }), /must be no more than (253|63) bytes/);
    assert.match(message({ requirements: [requirement(key, 'Exists')] }), /is not a qualified name, .*no more than/);
    assert.match(message({ labels: { [key]: 'a' } }), /^invalid key name "test.+" in labels, ".*no more than/);
  }
});

test('01/14 a label key with spaces and a bad label value are refused', () => {
  assert.match(
    message({ labels: { 'spaces are not allowed': 'a' } }),
    /^invalid key name "spaces are not allowed" in labels, "name part/,
  );
  const [problem] = check({ labels: { a: '/ is not allowed' } });
  assert.equal(problem?.field, 'spec.template.metadata.labels.a');
  assert.match(problem.message, /^invalid value: \/ is not allowed for label\[a\], a valid label must be/);
});

test('01/15 a NodePool may not name a NodePool', () => {
  const key = 'karpenter.sh/nodepool';
  assert.equal(message({ labels: { [key]: 'a' } }), `invalid key name "${key}" in labels, restricted`);
  assert.equal(
    message({ requirements: [requirement(key, 'In', 'a')] }),
    `invalid key: "${key}" in requirements, restricted`,
  );
});

test('01/16 labels in our domain are refused, any other domain will do', () => {
  const restriction = findLabelRestriction('karpenter.sh/unknown', AWS_PROFILE);
  assert.equal(
    message({ labels: { 'karpenter.sh/unknown': 'a' } }),
    `invalid key name "karpenter.sh/unknown" in labels, ${restriction}`,
  );
  for (const key of ['kops.k8s.io/instancegroup', 'kubernetes.io/key', 'subdomain.k8s.io/key']) {
    assert.deepEqual(check({ labels: { [key]: 'a' }, requirements: [requirement(key, 'Exists')] }), []);
  }
});

test('01/17 the hostname cannot be required', () => {
  const key = 'kubernetes.io/hostname';
  const [problem] = check({ requirements: [requirement(key, 'In', 'a')] });
  assert.equal(problem?.field, 'spec.template.spec.requirements[0].key');
  assert.equal(problem.message, `invalid value: ${findLabelRestriction(key, AWS_PROFILE)} in requirements, restricted`);
});

test('01/18 every well-known label can be required', () => {
  for (const profile of [CORE_PROFILE, KWOK_PROFILE, AWS_PROFILE]) {
    for (const key of profile.wellKnownLabels) {
      if (key === 'karpenter.sh/nodepool' || profile.knownValues.has(key)) continue;
      assert.deepEqual(check({ requirements: [requirement(key, 'In', 'test')] }, profile), [], key);
    }
  }
});

test('01/20 bounds are one integer that is not negative', () => {
  for (const operator of ['Gt', 'Lt', 'Gte', 'Lte']) {
    for (const values of [[], ['1', '2'], ['a'], ['-1']]) {
      assert.match(
        message({ requirements: [requirement('a', operator, ...values)] }),
        new RegExp(
          `key a with operator ${operator} must have a single positive integer value in requirements, restricted$`,
        ),
      );
    }
    assert.equal(message({ requirements: [requirement('a', operator, '0')] }), '');
  }
});

test('01/30 a capacity type that does not exist is refused', () => {
  const [problem] = check({ requirements: [requirement('karpenter.sh/capacity-type', 'In', 'xspot')] });
  assert.equal(
    problem?.message,
    'invalid value: no valid values found in [xspot] for karpenter.sh/capacity-type, ' +
      'expected one of: map[on-demand:{} reserved:{} spot:{}], got: [xspot] in requirements, restricted',
  );
  assert.equal(problem.field, 'spec.template.spec.requirements[0].values');
});

test('01/31 unknown values beside known ones are a warning, unless too few are left', () => {
  const mixed = requirement('karpenter.sh/capacity-type', 'In', 'on-demand', 'xspot');
  const problems = check({ requirements: [mixed] });
  assert.equal(findConditionMessage(problems), undefined);
  assert.deepEqual(warnings(problems), [
    'spec.template.spec.requirements[0].values: invalid values found for key karpenter.sh/capacity-type: [xspot], proceeding with valid values',
  ]);
  assert.equal(
    message({ requirements: [{ ...mixed, minValues: 2 }] }),
    'invalid value: not enough valid values found in [on-demand xspot] for karpenter.sh/capacity-type, ' +
      'expected at least 2 valid values from: [on-demand reserved spot], got: 1 in requirements, restricted',
  );
});

test('01/32 instance tenancy is a closed set on AWS only', () => {
  const key = 'karpenter.k8s.aws/instance-tenancy';
  assert.match(message({ requirements: [requirement(key, 'In', 'xdedicated')] }), /map\[dedicated:\{\} default:\{\}\]/);
  assert.equal(message({ requirements: [requirement(key, 'In', 'default')] }), '');
  assert.equal(message({ requirements: [requirement(key, 'In', 'xdedicated')] }, CORE_PROFILE), '');
});

test('01/33 legacy keys are valid and read as the current ones', () => {
  assert.deepEqual(check({ requirements: [requirement('beta.kubernetes.io/arch', 'In', 'amd64')] }, CORE_PROFILE), []);
  assert.deepEqual(check({ requirements: [requirement('topology.ebs.csi.aws.com/zone', 'In', 'a')] }), []);
});

test('all that is wrong with one requirement is one error, worded as upstream words it', () => {
  const [problem, ...rest] = check({ requirements: [{ key: 'a', operator: 'Near', values: ['b c'], minValues: 2 }] });
  assert.equal(rest.length, 0);
  assert.equal(problem?.field, 'spec.template.spec.requirements[0]');
  assert.match(
    problem.message,
    /^invalid value: key a has an unsupported operator Near not in \[DoesNotExist Exists Gt Gte In Lt Lte NotIn\]; invalid value b c for key a, a valid label must .* in requirements, restricted$/,
  );
});

test('minValues counts distinct values', () => {
  const twice = { ...requirement('a', 'In', 'b', 'b'), minValues: 2 };
  assert.match(
    message({ requirements: [twice] }),
    /must have at least minimum number of values defined in 'values' field/,
  );
  assert.match(message({ requirements: [requirement('a', 'In')] }), /key a with operator In must have a value defined/);
});

test('requiring the node class label says why that cannot be', () => {
  const problems = check({ requirements: [requirement('karpenter.k8s.aws/ec2nodeclass', 'In', 'a')] });
  assert.match(
    findConditionMessage(problems) ?? '',
    /^invalid value: using label karpenter.k8s.aws\/ec2nodeclass is not allowed/,
  );
  assert.deepEqual(warnings(problems), [
    'spec.template.spec.requirements[0].key: label "karpenter.k8s.aws/ec2nodeclass" follows from nodeClassRef, it cannot be required',
  ]);
});

test('a key that looks like a well-known one is a warning that names it', () => {
  for (const [key, meant] of [
    ['eks.amazonaws.com/capacityType', 'karpenter.sh/capacity-type'],
    ['topology.kubernetes.io/zones', 'topology.kubernetes.io/zone'],
    ['node.kubernetes.io/instance_type', 'node.kubernetes.io/instance-type'],
    ['kubernetes.io/Arch', 'kubernetes.io/arch'],
  ]) {
    const problems = check({ requirements: [requirement(key!, 'In', 'a')] });
    assert.deepEqual(warnings(problems), [
      `spec.template.spec.requirements[0].key: label "${key}" is not well known, so it does not select instances (typo of "${meant}"?)`,
    ]);
    assert.equal(findConditionMessage(problems), undefined);
  }
});

test('a budget that cannot be read or does not do what it seems to is named in a warning', () => {
  const budgets = [
    { nodes: '10%' },
    { nodes: '1', schedule: '@dailyfoo', duration: '1h' },
    { nodes: '1', schedule: '0 0 31 2 *', duration: '1h' },
    { nodes: '1', reasons: [] },
  ];
  const problems = check({ budgets });
  assert.equal(findConditionMessage(problems), undefined);
  assert.deepEqual(warnings(problems), [
    'spec.disruption.budgets[1]: budgets[1] stops all disruption: invariant violated, invalid cron, unrecognized descriptor: @dailyfoo',
    'spec.disruption.budgets[2].schedule: schedule "0 0 31 2 *" never fires, so the budget is always active',
    'spec.disruption.budgets[3].reasons: reasons is empty, so the budget limits nothing',
  ]);
});
