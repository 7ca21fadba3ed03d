import { defaulted, type Infer, integer, list, map, object, oneOf, required, string } from '../../schema/schema.ts';
import type { KubernetesObject, ValidationRule } from '@karpenter-ts/kubernetes';
import { conditions } from '../condition.ts';
import { nodeClassRef, nodeSettings, requirements } from './node-claim-spec.ts';
import { DURATION_OR_NEVER, LABEL_VALUE } from '../patterns.ts';
import { AGE_COLUMN, READY_COLUMN, type Resource } from '../../schema/resource.ts';
import { resourceList } from '../resource-list.ts';
import { type Flavour, nodePoolKeyRules, nodePoolLabelRules } from '../restricted-labels.ts';

const budget = object('How many nodes may leave at once, and when that holds.', {
  duration: string('How long the budget is active after each hit of the schedule, in hours and minutes.', {
    pattern: '^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$',
  }),
  nodes: required(
    defaulted(
      string('A number of nodes, or a percentage of the pool, rounded up.', {
        pattern: '^((100|[0-9]{1,2})%|[0-9]+)$',
      }),
      '10%',
    ),
  ),
  reasons: list(
    'The disruptions the budget is about; all of them if left out.',
    oneOf('A reason to disrupt a node.', ['Underutilized', 'Empty', 'Drifted']),
    { maxItems: 50, listType: 'set' },
  ),
  schedule: string('When the budget becomes active, as five cron fields in UTC or a descriptor such as @daily.', {
    pattern: '^(@(annually|yearly|monthly|weekly|daily|midnight|hourly))|((.+)\\s(.+)\\s(.+)\\s(.+)\\s(.+))$',
  }),
});

export type Budget = Infer<typeof budget>;

const disruption = object('When and how fast nodes may be disrupted.', {
  budgets: defaulted(
    list('Limits on how many nodes leave at once; of those active, the smallest counts.', budget, {
      maxItems: 50,
      listType: 'atomic',
      rules: [
        { message: "'schedule' must be set with 'duration'", rule: 'self.all(x, has(x.schedule) == has(x.duration))' },
      ],
    }),
    [{ nodes: '10%' }],
  ),
  // Upstream 1.14 demands this field; its next release defaults it as here. A superset: no object it takes is refused.
  consolidateAfter: defaulted(
    string('How long a node must have been quiet before it is consolidated; Never turns that off.', {
      pattern: DURATION_OR_NEVER,
    }),
    '0s',
  ),
  consolidationPolicy: defaulted(
    oneOf('Which nodes may be consolidated.', ['WhenEmpty', 'WhenEmptyOrUnderutilized', 'Balanced']),
    'WhenEmptyOrUnderutilized',
  ),
});

const IMMUTABLE_CLASS: readonly ValidationRule[] = [
  { message: 'nodeClassRef.group is immutable', rule: 'self.group == oldSelf.group' },
  { message: 'nodeClassRef.kind is immutable', rule: 'self.kind == oldSelf.kind' },
];

const template = (flavour: Flavour) =>
  object('What the NodeClaims of this pool look like; pods narrow it further.', {
    metadata: object(undefined, {
      annotations: map('Annotations of the nodes.', string('One value.'), { mapType: 'granular' }),
      labels: map('Labels of the nodes.', string('One value.', { maxLength: 63, pattern: LABEL_VALUE }), {
        mapType: 'atomic',
        maxProperties: 100,
        rules: nodePoolLabelRules(flavour),
      }),
    }),
    spec: required(
      object('The NodeClaim to make.', {
        ...nodeSettings,
        nodeClassRef: required(nodeClassRef(IMMUTABLE_CLASS)),
        requirements: required(requirements(nodePoolKeyRules(flavour))),
      }),
    ),
  });

const spec = (flavour: Flavour) =>
  object(
    'Nodes to launch for pods that found no room, or a fixed number of nodes.',
    {
      disruption: defaulted(disruption, { consolidateAfter: '0s' }),
      limits: resourceList('The most the pool may hold in all; only nodes may be limited if replicas is set.'),
      replicas: integer('Alpha. Keeps so many nodes, whatever the pods need.', { format: 'int64', minimum: 0 }),
      template: required(template(flavour)),
      weight: integer('Pools of higher weight are tried first; without it, 0.', {
        format: 'int32',
        minimum: 1,
        maximum: 100,
      }),
    },
    [
      {
        message:
          'Cannot transition NodePool between static (replicas set) and dynamic (replicas unset) provisioning modes',
        rule: 'has(self.replicas) == has(oldSelf.replicas)',
      },
      {
        message: "only 'limits.nodes' is supported on static NodePools",
        rule: "!has(self.replicas) || (!has(self.limits) || size(self.limits) == 0 || (size(self.limits) == 1 && 'nodes' in self.limits))",
      },
      {
        message: "'weight' is not supported on static NodePools",
        rule: '!has(self.replicas) || !has(self.weight)',
      },
    ],
  );

// Upstream's CRD has no such field and drops it from what is written.
const disruptionStatus = object('What budgets and windows allow now. Beyond upstream.', {
  reasons: list(
    'One entry for each reason to disrupt nodes.',
    object('How many nodes may be disrupted for one reason.', {
      allowed: required(
        integer('The most nodes at once; 2147483647 if nothing limits them.', { format: 'int64', minimum: 0 }),
      ),
      disrupting: required(
        integer('Nodes that are being disrupted or are not ready, which count against it.', {
          format: 'int64',
          minimum: 0,
        }),
      ),
      nextChange: string('When a budget or a window next begins or ends.', { format: 'date-time' }),
      reason: required(string('The reason, such as Drifted.')),
    }),
    { mapKeys: ['reason'] },
  ),
});

const status = object('What was last seen of the pool.', {
  conditions,
  disruption: disruptionStatus,
  nodeClassObservedGeneration: integer('Generation of the node class last seen.', { format: 'int64' }),
  nodes: defaulted(integer('Number of nodes.', { format: 'int64' }), 0),
  resources: resourceList('Capacity of all nodes of the pool together.'),
});

const body = (flavour: Flavour) =>
  object('A set of nodes launched and removed by the same rules.', { spec: required(spec(flavour)), status });

export type NodePool = KubernetesObject<'karpenter.sh/v1', 'NodePool', Infer<ReturnType<typeof body>>>;

export const nodePoolResource = (flavour: Flavour): Resource => ({
  group: 'karpenter.sh',
  version: 'v1',
  kind: 'NodePool',
  plural: 'nodepools',
  categories: ['karpenter'],
  scope: 'Cluster',
  scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.nodes' },
  columns: [
    { name: 'NodeClass', type: 'string', jsonPath: '.spec.template.spec.nodeClassRef.name' },
    { name: 'Nodes', type: 'string', jsonPath: '.status.nodes' },
    READY_COLUMN,
    AGE_COLUMN,
    { name: 'Weight', type: 'integer', jsonPath: '.spec.weight', wide: true },
    { name: 'CPU', type: 'string', jsonPath: '.status.resources.cpu', wide: true },
    { name: 'Memory', type: 'string', jsonPath: '.status.resources.memory', wide: true },
  ],
  schema: body(flavour),
});
