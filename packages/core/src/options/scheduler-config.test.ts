import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schedulerConfig } from './scheduler-config.ts';

const read = (written: string): unknown => {
  const reading = schedulerConfig.fromFlag(written, 'SCHEDULER_CONFIG');
  return reading.kind === 'value' ? reading.value : reading.problem;
};

const ZONE = { maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' };

const withConstraints = (...defaultConstraints: readonly unknown[]): string =>
  JSON.stringify({ podTopologySpread: { defaultConstraints } });

test('05/20 nothing is no configuration, and YAML and JSON read the same', () => {
  assert.deepEqual(read(''), { defaultConstraints: [] });
  assert.deepEqual(read(withConstraints(ZONE)), { defaultConstraints: [ZONE] });
  assert.deepEqual(
    read(`podTopologySpread:
  defaultConstraints:
    - maxSkew: 1
      topologyKey: topology.kubernetes.io/zone
      whenUnsatisfiable: DoNotSchedule
`),
    { defaultConstraints: [ZONE] },
  );
});

const REFUSED: readonly (readonly [what: string, written: string, problem: RegExp])[] = [
  [
    'an unknown field',
    'podTopologySpread: {extra: 1}',
    /^decoding scheduler config, unknown field "podTopologySpread.extra"$/,
  ],
  ['an unknown field at the top', 'profiles: []', /^decoding scheduler config, unknown field "profiles"$/],
  [
    'an unknown field of a constraint',
    withConstraints({ ...ZONE, weight: 1 }),
    /^decoding scheduler config, unknown field .*\[0\].weight"$/,
  ],
  ['malformed YAML', 'a: [', /^decoding scheduler config, /],
  ['a list for an object', '[]', /^decoding scheduler config, the configuration must be an object$/],
  [
    'a value of another type',
    withConstraints({ ...ZONE, maxSkew: 'one' }),
    /^decoding scheduler config, .*\[0\].maxSkew must be of type integer$/,
  ],
  [
    'no skew',
    withConstraints({ ...ZONE, maxSkew: 0 }),
    /^validating scheduler config, podTopologySpread.defaultConstraints\[0\].maxSkew must be greater than 0$/,
  ],
  ['no topology key', withConstraints({ ...ZONE, topologyKey: '' }), /\[0\].topologyKey must be set$/],
  [
    'an invalid key',
    withConstraints({ ...ZONE, topologyKey: 'a b' }),
    /\[0\].topologyKey "a b" is not a valid label name, name part must consist of/,
  ],
  [
    'another policy',
    withConstraints({ ...ZONE, whenUnsatisfiable: 'Never' }),
    /\[0\].whenUnsatisfiable "Never" must be one of "DoNotSchedule" or "ScheduleAnyway"$/,
  ],
  [
    'a selector',
    withConstraints(ZONE, { ...ZONE, labelSelector: {} }),
    /\[1\].labelSelector must not be set, as selectors are deduced for each pod$/,
  ],
  [
    'label keys',
    withConstraints({ ...ZONE, matchLabelKeys: ['a'] }),
    /\[0\].matchLabelKeys must not be set, as it has no effect on default constraints$/,
  ],
  [
    'a repeated pair',
    withConstraints(ZONE, { ...ZONE, maxSkew: 2 }),
    /\[1\] is a duplicate of \[0\], \{topology.kubernetes.io\/zone, DoNotSchedule\}$/,
  ],
];

for (const [what, written, problem] of REFUSED) {
  test(`02/105 05/21 a scheduler configuration with ${what} is refused`, () => {
    const found = String(read(written));
    assert.match(found, /^parsing scheduler config, /);
    assert.match(found.replace('parsing scheduler config, ', ''), problem);
  });
}

test('05/21 the same key may be spread both ways', () => {
  const other = { ...ZONE, whenUnsatisfiable: 'ScheduleAnyway' };
  assert.deepEqual(read(withConstraints(ZONE, other)), { defaultConstraints: [ZONE, other] });
});
