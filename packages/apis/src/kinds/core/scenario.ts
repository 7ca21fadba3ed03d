import {
  defaulted,
  type Infer,
  integer,
  list,
  object,
  oneOf,
  required,
  type Schema,
  string,
} from '../../schema/schema.ts';
import type { JsonObject, KubernetesObject } from '@karpenter-ts/kubernetes';
import { DURATION } from '../patterns.ts';
import type { Resource } from '../../schema/resource.ts';
import { awsAction } from './scenario-aws.ts';
import { resourceList } from '../resource-list.ts';

const podSpec: Schema<JsonObject> = {
  description: 'What else a pod says of itself: affinity, tolerations, spread, …',
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true, // the cluster knows what a pod is, and will say so
};

const workload = object('Pods of one sort, and who keeps them up.', {
  kind: defaulted(oneOf('Who keeps the pods up.', ['Deployment', 'StatefulSet', 'DaemonSet', 'Job']), 'Deployment'),
  maxUnavailable: integer('How many of its pods evictions may take down at a time.', { minimum: 0 }),
  name: required(string('Its name, and the value of the label app of its pods.', { minLength: 1 })),
  podSpec,
  replicas: defaulted(integer('How many pods at the start. A DaemonSet has one on every node.', { minimum: 0 }), 1),
  requests: resourceList('What each pod requests.'),
});

const nodePool = string('Only nodes of this NodePool.');

const scale = object('Sets the number of pods of a workload.', {
  replicas: required(integer('How many pods it shall have.', { minimum: 0 })),
  workload: required(string('Name of the workload.')),
});

const deletion = object(
  'Deletes a workload, or nodes.',
  {
    nodePool,
    nodes: integer('How many nodes to delete, by name.', { minimum: 1 }),
    workload: string('Name of the workload.'),
  },
  [{ rule: 'has(self.workload) != has(self.nodes)', message: 'must name a workload or a number of nodes' }],
);

const fault = object(
  'Breaks nodes.',
  {
    delay: string('With slow-drain: how long its pods take to stop.', { pattern: DURATION }),
    for: string('When the nodes are well again; never unless told.', { pattern: DURATION }),
    kind: required(
      oneOf('lost: nothing is heard of it. unhealthy: it says so itself. slow-drain: its pods are slow to stop.', [
        'lost',
        'unhealthy',
        'slow-drain',
      ]),
    ),
    nodePool,
    nodes: defaulted(integer('How many nodes to break, by name.', { minimum: 1 }), 1),
  },
  [
    {
      rule: "has(self.delay) == (self.kind == 'slow-drain')",
      message: 'delay goes with slow-drain, and slow-drain with a delay',
    },
  ],
);

const editedSpec: Schema<JsonObject> = {
  description: 'What changes in its spec, as a JSON merge patch: null removes a field.',
  type: 'object',
  'x-kubernetes-preserve-unknown-fields': true, // the cluster knows what it edits, and will say so
};

const edit = object(
  'Changes a NodePool, or an EC2NodeClass.',
  {
    nodeClass: string('Name of the EC2NodeClass.'),
    nodePool: string('Name of the NodePool.'),
    spec: required(editedSpec),
  },
  [{ rule: 'has(self.nodePool) != has(self.nodeClass)', message: 'must name a nodePool or a nodeClass' }],
);

const step = object(
  'Something that happens.',
  {
    at: required(string('How long after the start.', { pattern: DURATION })),
    aws: awsAction,
    delete: deletion,
    edit,
    fault,
    scale,
  },
  [
    {
      rule: '[has(self.scale), has(self.delete), has(self.edit), has(self.fault), has(self.aws)].filter(x, x).size() == 1',
      message: 'must be one of scale, delete, edit, fault and aws',
    },
  ],
);

const body = object('What happens in a cluster that is only there to be looked at.', {
  spec: required(
    object('Workloads, and what becomes of them.', {
      steps: defaulted(list('What happens, in any order.', step, { maxItems: 1000 }), []),
      workloads: required(list('What runs from the start.', workload, { mapKeys: ['name'], maxItems: 1000 })),
    }),
  ),
});

/** What `karpenter up` plays. It is a kind in files only: no API server serves it. */
export type Scenario = KubernetesObject<'karpenter-ts.dev/v1', 'Scenario', Infer<typeof body>>;

/** As if it were served: the API server's words, paths and defaults come with that. */
export const scenarioResource: Resource = {
  group: 'karpenter-ts.dev',
  version: 'v1',
  kind: 'Scenario',
  plural: 'scenarios',
  categories: [],
  scope: 'Cluster',
  columns: [],
  schema: body,
};
