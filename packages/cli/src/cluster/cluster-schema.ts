// What a cluster file may hold, as structural schemas.
import { type Resource, RESOURCES } from '@karpenter-ts/apis';
import type { StructuralSchema } from '@karpenter-ts/kubernetes';
import {
  closed,
  flag,
  instanceType,
  labels,
  labelSelector,
  list,
  name,
  open,
  pod,
  podSpec,
  quantities,
  taints,
  text,
  texts,
} from '../fleet/object-schemas.ts';

const time: StructuralSchema = { type: 'string', format: 'date-time' };
const countOrPercent: StructuralSchema = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  'x-kubernetes-int-or-string': true,
};
const conditions = list(
  open({ type: name, status: { type: 'string', enum: ['True', 'False', 'Unknown'] } }, ['type', 'status']),
);
const owners = list(open({ apiVersion: text, kind: text, name: text, uid: text }, ['apiVersion', 'kind', 'name']));

/** The fields of `metadata` that decisions read. */
const metadata = open(
  {
    name,
    namespace: text,
    uid: text,
    labels,
    annotations: labels,
    creationTimestamp: time,
    deletionTimestamp: time,
    ownerReferences: owners,
  },
  ['name'],
);

/** A pod, pending or bound. */
const clusterPod: StructuralSchema = {
  ...pod,
  properties: {
    ...pod.properties,
    metadata,
    spec: { ...podSpec, properties: { ...podSpec.properties, nodeName: text, priority: { type: 'integer' } } },
    status: open({ phase: text, startTime: time, nominatedNodeName: text, conditions }),
  },
};

const node = open(
  {
    kind: { type: 'string', enum: ['Node'] },
    metadata,
    spec: open({ providerID: text, taints, unschedulable: flag }),
    status: open({ capacity: quantities, allocatable: quantities, conditions }),
  },
  ['metadata'],
);

const disruptionBudget = open(
  {
    kind: { type: 'string', enum: ['PodDisruptionBudget'] },
    metadata,
    spec: open({
      selector: labelSelector,
      maxUnavailable: countOrPercent,
      minAvailable: countOrPercent,
      unhealthyPodEvictionPolicy: { type: 'string', enum: ['IfHealthyBudget', 'AlwaysAllow'] },
    }),
    status: open({ disruptionsAllowed: { type: 'integer' } }),
  },
  ['metadata', 'spec'],
);

/** Objects of a kind of ours as they are stored. A file has them from an API server, whose defaults they hold already. */
function stored(kind: 'NodePool' | 'NodeClaim'): StructuralSchema {
  const { group, version, schema } = RESOURCES.core.find((resource) => resource.kind === kind)!;
  return withoutDefaults({
    ...schema,
    properties: {
      ...schema.properties,
      apiVersion: { type: 'string', enum: [`${group}/${version}`] },
      kind: { type: 'string', enum: [kind] },
      metadata,
    },
    required: ['metadata', ...(schema.required ?? [])],
  });
}

function withoutDefaults(defaulting: StructuralSchema): StructuralSchema {
  const { default: _, ...schema } = defaulting;
  const { properties, items, additionalProperties } = schema;
  return {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([key, one]) => [key, withoutDefaults(one)])),
    }),
    ...(items && { items: withoutDefaults(items) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: withoutDefaults(additionalProperties) }),
  };
}

/** A cluster file as if it were a kind: the API server's words and paths come with that. */
export const CLUSTER: Resource = {
  group: 'karpenter-ts.dev',
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  categories: [],
  scope: 'Cluster',
  columns: [],
  schema: closed(
    {
      now: time,
      options: closed(
        {
          spotToSpotConsolidation: flag,
          preferencePolicy: { type: 'string', enum: ['Respect', 'Ignore'] },
          minValuesPolicy: { type: 'string', enum: ['Strict', 'BestEffort'] },
        },
        [],
      ),
      catalogue: list(instanceType),
      nodePools: list(stored('NodePool')),
      nodes: list(node),
      nodeClaims: list(stored('NodeClaim')),
      boundPods: list(clusterPod),
      pods: list(clusterPod),
      daemonPods: list(clusterPod),
      pdbs: list(disruptionBudget),
      nominated: texts,
      markedForDeletion: texts,
    },
    ['now', 'catalogue', 'nodePools'],
  ),
};
