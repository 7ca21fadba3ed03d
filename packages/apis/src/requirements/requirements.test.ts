import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { AWS_PROFILE, CORE_PROFILE } from '../names/provider-profile.ts';
import {
  combineRequirements,
  findIncompatibilities,
  formatIncompatibility,
  formatRequirements,
  type Requirements,
  serializeRequirements,
  toLabelRequirements,
  toRequirements,
} from './requirements.ts';

const NONE: Requirements = new Map();
const WELL_KNOWN = CORE_PROFILE.wellKnownLabels;

const one = (key: string, operator: string, ...values: string[]) =>
  toRequirements([{ key, operator, values }], CORE_PROFILE);

function explain(existing: Requirements, incoming: Requirements, allowUndefined?: ReadonlySet<string>): string {
  return findIncompatibilities(existing, incoming, allowUndefined).map(formatIncompatibility).join('; ');
}

test('01/93 a legacy key in a nodeSelector is read as the current one', () => {
  const pod = toLabelRequirements({ 'beta.kubernetes.io/instance-type': 'm5.large' }, CORE_PROFILE);
  assert.deepEqual([...pod.keys()], ['node.kubernetes.io/instance-type']);
  assert.equal(explain(one('node.kubernetes.io/instance-type', 'In', 'm5.large'), pod), '');
  assert.equal(
    explain(one('node.kubernetes.io/instance-type', 'In', 'c5.large'), pod),
    'key node.kubernetes.io/instance-type, node.kubernetes.io/instance-type In [m5.large] not in ' +
      'node.kubernetes.io/instance-type In [c5.large]',
  );
});

test('01/94 an unknown key is explained with the label it was probably meant to be', () => {
  assert.equal(
    explain(NONE, one('zone', 'In', 'a'), WELL_KNOWN),
    'label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
  );
  assert.equal(
    explain(NONE, one('zone', 'In', 'a'), AWS_PROFILE.wellKnownLabels),
    'label "zone" does not have known values (typo of "topology.kubernetes.io/zone"?)',
  );
  assert.equal(
    explain(one('example.com/team', 'In', 'a'), one('team', 'In', 'a'), WELL_KNOWN),
    'label "team" does not have known values (typo of "example.com/team"?)',
  );
  assert.equal(explain(NONE, one('other', 'Exists'), WELL_KNOWN), 'label "other" does not have known values');
});

test('a label nobody defines is fine if it is well known or may be absent', () => {
  assert.equal(explain(NONE, one('topology.kubernetes.io/zone', 'In', 'a'), WELL_KNOWN), '');
  assert.equal(explain(NONE, one('custom', 'NotIn', 'a')), '');
  assert.equal(explain(NONE, one('custom', 'DoesNotExist')), '');
  assert.notEqual(explain(NONE, one('custom', 'Gt', '1')), '');
});

test('two sides that both accept a node without the label are compatible', () => {
  assert.equal(explain(one('k', 'DoesNotExist'), one('k', 'NotIn', 'a')), '');
  assert.equal(explain(one('k', 'NotIn', 'a'), one('k', 'DoesNotExist')), '');
  assert.equal(explain(one('k', 'DoesNotExist'), one('k', 'Exists')), 'key k, k Exists not in k DoesNotExist');
});

test('every conflicting key is named, in order', () => {
  const existing = combineRequirements([...one('b', 'In', '1').values(), ...one('a', 'In', '1').values()]);
  const incoming = combineRequirements([...one('b', 'In', '2').values(), ...one('a', 'Gt', '5').values()]);
  assert.equal(explain(existing, incoming), 'key a, a Exists >=6 not in a In [1]; key b, b In [2] not in b In [1]');
});

test('a set prints sorted and without the hostname', () => {
  const requirements = toLabelRequirements({ 'kubernetes.io/hostname': 'n1', z: '1', a: '2' }, CORE_PROFILE);
  assert.equal(formatRequirements(requirements), 'a In [2], z In [1]');
});

test('a set is serialised by key', () => {
  const requirements = toRequirements(
    [
      { key: 'z', operator: 'Exists' },
      { key: 'a', operator: 'In', values: ['2', '1'] },
    ],
    CORE_PROFILE,
  );
  assert.deepEqual(serializeRequirements(requirements), [
    { key: 'a', operator: 'In', values: ['1', '2'] },
    { key: 'z', operator: 'Exists' },
  ]);
});

test('a provider may read one value as another', () => {
  const profile = {
    ...CORE_PROFILE,
    normalizedValues: new Map([['topology.kubernetes.io/zone', new Map([['', '0']])]]),
  };
  const requirements = toLabelRequirements({ 'failure-domain.beta.kubernetes.io/zone': '' }, profile);
  assert.equal(formatRequirements(requirements), 'topology.kubernetes.io/zone In [0]');
});

/** Run through upstream's own code. Which of several undefined labels it names, and which hint it gives, is chance. */
test('arbitrary requirements combine and conflict as they do in upstream 1.14.1', () => {
  const golden = readFileSync(new URL('requirements.golden.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  for (const line of golden) {
    const { existing, incoming, combined, strict, loose } = JSON.parse(line);
    const [a, b] = [toRequirements(existing, AWS_PROFILE), toRequirements(incoming, AWS_PROFILE)];
    assert.equal(formatRequirements(combineRequirements([...a.values(), ...b.values()])), combined, line);
    assert.equal(explain(a, b).replace(/^label.*/, 'label'), strict, line);
    assert.equal(explain(a, b, AWS_PROFILE.wellKnownLabels).replace(/^label.*/, 'label'), loose, line);
  }
});
