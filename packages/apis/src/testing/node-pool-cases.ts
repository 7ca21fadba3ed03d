import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { type AdmissionCase, because } from './admission-case.ts';
import { type Changes, variant } from './variant.ts';

/** The smallest NodePool an API server takes. */
export const MINIMAL_NODE_POOL: JsonObject = variant(
  {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements: [],
        },
      },
    },
  },
  {},
);

const pool = (changes: Changes): JsonObject => variant(MINIMAL_NODE_POOL, changes);
const node = (field: string, value: Json): JsonObject => pool({ [`spec.template.spec.${field}`]: value });
const budgets = (...items: readonly Json[]): JsonObject => pool({ 'spec.disruption.budgets': items });
const requires = (...items: readonly Json[]): JsonObject => node('requirements', items);
const key = (name: string): JsonObject => requires({ key: name, operator: 'In', values: ['test'] });
const label = (name: string, value = 'test'): JsonObject =>
  pool({ 'spec template metadata labels': { [name]: value } });
const taint = (fields: JsonObject): JsonObject => node('taints', [{ key: 'a', effect: 'NoSchedule', ...fields }]);

const LONG = 'a'.repeat(250);
const BOUND_OPERATORS = ['Gt', 'Lt', 'Gte', 'Lte'];
const BOUND = "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive integer value";
const SCHEDULE_AND_DURATION = "'schedule' must be set with 'duration'";
const MATCH = 'should match';
const stored = (changes: Changes): JsonObject =>
  pool({
    'spec.disruption': { consolidateAfter: '0s', consolidationPolicy: 'WhenEmpty', budgets: [{ nodes: '10%' }] },
    ...changes,
  });

const disruptionCases: readonly AdmissionCase[] = [
  {
    id: '01/2',
    title: 'disruption may leave out consolidateAfter, on dynamic and static pools',
    flavour: 'aws',
    accepted: [
      pool({ 'spec.disruption': { consolidationPolicy: 'WhenEmpty' } }),
      pool({ 'spec.disruption': { consolidationPolicy: 'WhenEmpty' }, 'spec.replicas': 2 }),
    ],
  },
  {
    id: '01/3',
    title: 'expireAfter and consolidateAfter take whole hours, minutes and seconds, or Never',
    flavour: 'aws',
    accepted: ['30s', '1h30m5s', 'Never'].flatMap((text) => [
      node('expireAfter', text),
      pool({ 'spec.disruption.consolidateAfter': text }),
    ]),
    refused: ['-1s', '1hr', 'FooNever'].flatMap((text) =>
      because(MATCH, node('expireAfter', text), pool({ 'spec.disruption.consolidateAfter': text })),
    ),
  },
  {
    id: '01/4',
    title: 'terminationGracePeriod takes no Never',
    flavour: 'aws',
    accepted: ['30s', '1h30m5s'].map((text) => node('terminationGracePeriod', text)),
    refused: ['Never', '-1s', '1hr'].flatMap((text) => because(MATCH, node('terminationGracePeriod', text))),
  },
  {
    id: '01/5',
    title: 'consolidationPolicy is one of three, case and all',
    flavour: 'aws',
    accepted: ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced'].map((policy) =>
      pool({ 'spec.disruption': { consolidateAfter: '0s', consolidationPolicy: policy } }),
    ),
    refused: ['balanced', 'WhenUnderutilized', '', 1].flatMap((policy) =>
      because(
        'Unsupported value',
        pool({ 'spec.disruption': { consolidateAfter: '0s', consolidationPolicy: policy } }),
      ),
    ),
  },
  {
    id: '01/6',
    title: 'a budget schedule has five fields or is a descriptor',
    flavour: 'aws',
    accepted: ['* * * * *', '@annually'].map((schedule) => budgets({ nodes: '10', schedule, duration: '20m' })),
    refused: ['*', '* * * *'].flatMap((schedule) =>
      because(MATCH, budgets({ nodes: '10', schedule, duration: '20m' })),
    ),
  },
  {
    id: '01/7',
    title: 'a budget duration counts hours and minutes',
    flavour: 'aws',
    accepted: ['2h20m', '2h20m0s', '20m'].map((duration) => budgets({ nodes: '10', schedule: '@daily', duration })),
    refused: ['-20m', '30s'].flatMap((duration) =>
      because(MATCH, budgets({ nodes: '10', schedule: '@daily', duration })),
    ),
  },
  {
    id: '01/8',
    title: 'budget nodes are a whole number or a percentage up to 100',
    flavour: 'aws',
    accepted: ['0', '100%', '5', '10%'].map((nodes) => budgets({ nodes })),
    refused: ['-10', '-10%', '1000%', '101%'].flatMap((nodes) => because(MATCH, budgets({ nodes }))),
  },
  {
    id: '01/9',
    title: 'a budget has both schedule and duration or neither',
    flavour: 'aws',
    refused: because(
      SCHEDULE_AND_DURATION,
      budgets({ nodes: '10', schedule: '* * * * *' }),
      budgets({ nodes: '10', duration: '20m' }),
      budgets(
        { nodes: '10', schedule: '* * * * *', duration: '20m' },
        { nodes: '10', schedule: '* * * * *' },
        { nodes: '10' },
      ),
    ),
  },
  {
    id: '01/10',
    title: 'a budget names known reasons, and there are at most fifty budgets',
    flavour: 'aws',
    accepted: [['Drifted'], ['Empty'], ['Underutilized'], ['Drifted', 'Empty', 'Underutilized'], []].map((reasons) =>
      budgets({ nodes: '10', reasons }),
    ),
    refused: [
      ...['invalid', 'expired', ''].flatMap((reason) =>
        because('Unsupported value', budgets({ nodes: '1', reasons: [reason] })),
      ),
      ...because('Duplicate value', budgets({ nodes: '1', reasons: ['Empty', 'Empty'] })),
      ...because('must have at most 50 items', budgets(...Array.from({ length: 51 }, () => ({ nodes: '1' })))),
    ],
  },
];

const labelCases: readonly AdmissionCase[] = [
  {
    id: '01/11',
    title: 'taint keys, values and effects have a form',
    flavour: 'aws',
    accepted: [taint({}), taint({ value: 'b' }), taint({ key: 'test.com/test', effect: 'NoExecute' })],
    refused: [
      ...['test.com.com}', 'Test.com/test', 'test/test/test', 'test/', '/test'].flatMap((name) =>
        because(MATCH, taint({ key: name })),
      ),
      ...because('Required value', node('taints', [{ effect: 'NoSchedule' }])),
      ...because('Required value', node('taints', [{ key: 'a' }])),
      ...because(MATCH, taint({ value: '???' })),
      ...because(MATCH, taint({ value: '' })),
      ...because('Unsupported value', taint({ effect: '???' })),
    ],
  },
  {
    id: '01/12',
    title: 'the same taint key may have two effects, and the CRD does not compare the two lists',
    flavour: 'aws',
    accepted: [
      node('taints', [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoExecute' },
      ]),
      pool({
        'spec.template.spec.taints': [{ key: 'a', effect: 'NoSchedule' }],
        'spec.template.spec.startupTaints': [{ key: 'a', effect: 'NoSchedule' }],
      }),
    ],
  },
  {
    id: '01/13',
    title: 'the CRD lets keys through that are too long for a label',
    flavour: 'aws',
    accepted: [`test.com.test.${LONG}/test`, `test.com.test/test-${LONG}`].flatMap((name) => [
      taint({ key: name }),
      label(name),
      key(name),
    ]),
    refused: because('may not be more than 316 bytes', key(`a${LONG}/${LONG}`)),
  },
  {
    id: '01/14',
    title: 'the CRD checks label values, not label keys',
    flavour: 'aws',
    accepted: [label('spaces are not allowed'), label('empty', '')],
    refused: [
      ...because(MATCH, label('a', '/ is not allowed')),
      ...because('may not be more than 63 bytes', label('a', 'a'.repeat(64))),
    ],
  },
  {
    id: '01/15',
    title: 'karpenter.sh/nodepool is ours',
    flavour: 'aws',
    refused: because(
      'label "karpenter.sh/nodepool" is restricted',
      label('karpenter.sh/nodepool'),
      key('karpenter.sh/nodepool'),
    ),
  },
  {
    id: '01/16',
    title: 'our label domains are restricted, those of Kubernetes are not',
    flavour: 'aws',
    accepted: [
      'kops.k8s.io/instancegroup',
      'kubernetes.io/key',
      'subdomain.k8s.io/key',
      'karpenter.sh/capacity-type',
    ].flatMap((name) => [label(name), key(name)]),
    refused: [
      ...because(
        'label domain "karpenter.sh" is restricted',
        label('karpenter.sh/unknown'),
        key('karpenter.sh/unknown'),
      ),
      ...because('label domain "karpenter.sh" is restricted', label('mykarpenter.sh/x'), key('karpenter.sh')),
      ...because(
        'label domain "karpenter.k8s.aws" is restricted',
        label('karpenter.k8s.aws/unknown'),
        key('karpenter.k8s.aws/unknown'),
      ),
    ],
  },
  {
    id: '01/16',
    title: 'without AWS its label domain is free',
    flavour: 'core',
    accepted: [label('karpenter.k8s.aws/unknown'), key('karpenter.k8s.aws/unknown'), key('karpenter.kwok.sh/unknown')],
    refused: because('label domain "karpenter.sh" is restricted', key('karpenter.sh/unknown')),
  },
  {
    id: '01/16',
    title: 'the KWOK domain is restricted for requirements, not for labels',
    flavour: 'kwok',
    accepted: [
      label('karpenter.kwok.sh/unknown'),
      key('karpenter.kwok.sh/instance-cpu'),
      key('karpenter.k8s.aws/unknown'),
    ],
    refused: because('label domain "karpenter.kwok.sh" is restricted', key('karpenter.kwok.sh/unknown')),
  },
  {
    id: '01/17',
    title: 'kubernetes.io/hostname cannot be required',
    flavour: 'aws',
    refused: because(
      'label "kubernetes.io/hostname" is restricted',
      key('kubernetes.io/hostname'),
      label('kubernetes.io/hostname'),
    ),
  },
  {
    id: '01/18',
    title: 'well-known labels can be required',
    flavour: 'aws',
    accepted: [
      'topology.kubernetes.io/zone',
      'topology.kubernetes.io/region',
      'node.kubernetes.io/instance-type',
      'kubernetes.io/arch',
      'kubernetes.io/os',
      'node.kubernetes.io/windows-build',
      'topology.k8s.aws/zone-id',
      'karpenter.k8s.aws/instance-family',
      'karpenter.k8s.aws/instance-accelerator-count',
      'karpenter.k8s.aws/instance-capability-flex',
      'karpenter.k8s.aws/capacity-reservation-id',
      'karpenter.k8s.aws/placement-group-partition',
      'karpenter.k8s.aws/ec2nodeclass',
    ].map(key),
    refused: because('is restricted', key('karpenter.k8s.aws/instance-pods'), key('karpenter.k8s.aws/nitro-sandbox')),
  },
];

const requirementCases: readonly AdmissionCase[] = [
  {
    id: '01/19',
    title: 'In needs values, NotIn does not',
    flavour: 'aws',
    accepted: [
      requires({ key: 'a', operator: 'NotIn', values: [] }),
      requires({ key: 'a', operator: 'NotIn' }),
      requires({ key: 'a', operator: 'Exists', values: ['x'] }),
      requires({ key: 'a', operator: 'DoesNotExist' }),
    ],
    refused: [
      ...because(
        "requirements with operator 'In' must have a value defined",
        requires({ key: 'a', operator: 'In', values: [] }),
      ),
      ...because(
        'no such key: values evaluating rule',
        requires({ key: 'a', operator: 'In' }),
        requires({ key: 'a', operator: 'Gt' }),
      ),
    ],
  },
  {
    id: '01/20',
    title: 'Gt, Lt, Gte and Lte take one whole number that is not negative',
    flavour: 'aws',
    accepted: BOUND_OPERATORS.map((operator) => requires({ key: 'a', operator, values: ['0'] })),
    refused: BOUND_OPERATORS.flatMap((operator) => [
      ...because(BOUND, ...[[], ['1', '2'], ['-1']].map((values) => requires({ key: 'a', operator, values }))),
      ...because(`evaluating rule: ${BOUND}`, requires({ key: 'a', operator, values: ['a'] })),
    ]),
  },
  {
    id: '01/21',
    title: 'an unknown operator is refused',
    flavour: 'aws',
    refused: because('Unsupported value: "unknown"', requires({ key: 'a', operator: 'unknown', values: ['b'] })),
  },
  {
    id: '01/22',
    title: 'minValues is 1 to 50 and no more than the values of In',
    flavour: 'aws',
    accepted: [
      requires({ key: 'a', operator: 'In', values: Array.from({ length: 90 }, (_, i) => `v${i}`) }),
      requires({ key: 'a', operator: 'In', values: ['x', 'y'], minValues: 2 }),
      requires({ key: 'a', operator: 'Exists', minValues: 50 }),
    ],
    refused: [
      ...because(
        'should be greater than or equal to 1',
        ...[-1, 0].map((n) => requires({ key: 'a', operator: 'Exists', minValues: n })),
      ),
      ...because('should be less than or equal to 50', requires({ key: 'a', operator: 'Exists', minValues: 51 })),
      ...because(
        "requirements with 'minValues' must have at least that many values specified in the 'values' field",
        requires({ key: 'a', operator: 'In', values: ['x'], minValues: 2 }),
      ),
    ],
  },
  {
    id: '01/23',
    title: 'there are none to a hundred requirements',
    flavour: 'aws',
    accepted: [requires()],
    refused: [
      ...because(
        'must have at most 100 items',
        requires(...Array.from({ length: 101 }, (_, i) => ({ key: `k${i}`, operator: 'Exists' }))),
      ),
      ...because('Required value', pool({ 'spec.template.spec.requirements': undefined })),
    ],
  },
];

const referenceCases: readonly AdmissionCase[] = [
  {
    id: '01/24',
    title: 'nodeClassRef names a group without version, a kind and a name',
    flavour: 'aws',
    refused: [
      ...['group', 'kind', 'name'].flatMap((field) => [
        ...because(`${field} may not be empty`, node(`nodeClassRef.${field}`, '')),
        ...because('Required value', pool({ [`spec.template.spec.nodeClassRef.${field}`]: undefined })),
      ]),
      ...because(MATCH, node('nodeClassRef.group', 'karpenter.test.sh/v1')),
      ...because('Required value', pool({ 'spec.template.spec.nodeClassRef': undefined })),
      ...because('Required value', pool({ 'spec.template': undefined })),
    ],
  },
  {
    id: '01/25',
    title: 'a NodePool stays with one kind of node class',
    flavour: 'aws',
    updates: [
      { from: stored({}), to: stored({ 'spec.template.spec.nodeClassRef.name': 'other' }) },
      {
        from: stored({}),
        to: stored({ 'spec.template.spec.nodeClassRef.group': 'karpenter.kwok.sh' }),
        refused: 'nodeClassRef.group is immutable',
      },
      {
        from: stored({}),
        to: stored({ 'spec.template.spec.nodeClassRef.kind': 'KWOKNodeClass' }),
        refused: 'nodeClassRef.kind is immutable',
      },
    ],
  },
  {
    id: '01/26',
    title: 'replicas are not negative',
    flavour: 'aws',
    accepted: [0, 5, 1000].map((replicas) => pool({ 'spec.replicas': replicas })),
    refused: because('should be a non-negative integer', pool({ 'spec.replicas': -100 })),
  },
  {
    id: '01/27',
    title: 'a static pool has no weight and limits nothing but nodes',
    flavour: 'aws',
    accepted: [
      pool({ 'spec.replicas': 3, 'spec.limits': { nodes: 10 } }),
      pool({ 'spec.replicas': 3, 'spec.limits': {} }),
      pool({ 'spec.limits': { cpu: '1000', memory: '1000Gi', nodes: 5, 'nvidia.com/gpu': 2 } }),
    ],
    refused: [
      ...['cpu', 'memory', 'pods', 'ephemeral-storage'].flatMap((resource) =>
        because(
          "only 'limits.nodes' is supported on static NodePools",
          pool({ 'spec.replicas': 3, 'spec.limits': { [resource]: '1', nodes: '1' } }),
        ),
      ),
      ...because("'weight' is not supported on static NodePools", pool({ 'spec.replicas': 3, 'spec.weight': 10 })),
      ...because(MATCH, pool({ 'spec.limits': { cpu: 'many' } })),
      ...because('must validate at least one schema (anyOf)', pool({ 'spec.limits': { cpu: true } })),
    ],
  },
  {
    id: '01/28',
    title: 'a pool is static or dynamic for life',
    flavour: 'aws',
    updates: [
      { from: stored({ 'spec.replicas': 3 }), to: stored({ 'spec.replicas': 5 }) },
      { from: stored({ 'spec.replicas': 3 }), to: stored({}), refused: 'Cannot transition NodePool between static' },
      { from: stored({}), to: stored({ 'spec.replicas': 5 }), refused: 'Cannot transition NodePool between static' },
    ],
  },
  {
    id: '01/29',
    title: 'weight is 1 to 100',
    flavour: 'aws',
    accepted: [1, 100].map((weight) => pool({ 'spec.weight': weight })),
    refused: [
      ...because('should be greater than or equal to 1', pool({ 'spec.weight': 0 })),
      ...because('should be less than or equal to 100', pool({ 'spec.weight': 101 })),
      ...because('must be of type integer: "string"', pool({ 'spec.weight': '10' })),
      ...because('must be of type integer: "number"', pool({ 'spec.weight': 1.5 })),
      ...because('must be of type integer: "boolean"', pool({ 'spec.weight': true })),
    ],
  },
  {
    id: '01 §2',
    title: 'what cannot be decoded or has the wrong type is named with its path',
    flavour: 'aws',
    refused: [
      ...because('unknown field "spec.wieght"', pool({ 'spec.wieght': 5 })),
      ...because('unknown field "spec.template.spec.taints[0].operator"', taint({ operator: 'Exists' })),
      ...because('unknown field "metadata.lables"', pool({ 'metadata.lables': { a: 'b' } })),
      ...because('must be of type object: "string"', pool({ 'spec.disruption': 'never' })),
      ...because('must be of type array: "object"', pool({ 'spec.template.spec.taints': {} })),
      ...because('must be of type object: "null"', node('taints', [null])),
      ...because('must be of type date-time', taint({ timeAdded: 'yesterday' })),
      ...because('Required value', pool({ spec: undefined })),
      ...because('metadata.name: Invalid value: "Default"', pool({ 'metadata.name': 'Default' })),
      ...because('metadata.labels: Invalid value: "a b"', pool({ 'metadata.labels': { 'a b': 'c' } })),
      ...because('metadata.labels: Invalid value: "?"', pool({ 'metadata.labels': { a: '?' } })),
      ...because('metadata.annotations: Invalid value', pool({ 'metadata.annotations': { 'a b': 'c' } })),
      ...because('metadata.finalizers: Invalid value', pool({ 'metadata.finalizers': ['a b'] })),
      ...because('metadata.annotations: Too long', pool({ 'metadata.annotations': { a: 'x'.repeat(256 * 1024) } })),
      ...because('metadata.name: Required value', pool({ metadata: {} })),
      ...because(
        'uid: Invalid value',
        pool({ 'metadata.ownerReferences': [{ apiVersion: 'v1', kind: 'Pod', name: 'a' }] }),
      ),
      ...because('of type string', pool({ 'metadata.labels': { a: 1 } }), pool({ 'metadata.name': 5 })),
      ...because('of type map[string]string', pool({ 'metadata.labels': [] })),
      ...because('of type []string', pool({ 'metadata.finalizers': 'a' })),
    ],
    accepted: [
      pool({ metadata: { generateName: 'default-' } }),
      pool({ 'metadata.namespace': 'default' }), // cluster-wide: the server clears it
      pool({ 'metadata.annotations': { a: 'x'.repeat(256 * 1024 - 1) } }),
      pool({ 'spec.limits': null }),
      pool({ 'spec.template.metadata': { annotations: { a: 'b' } } }),
    ],
  },
];

export const NODE_POOL_CASES: readonly AdmissionCase[] = [
  ...disruptionCases,
  ...labelCases,
  ...requirementCases,
  ...referenceCases,
];
