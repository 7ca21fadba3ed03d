// What a fleet file may hold, as structural schemas.
import { type Resource, RESOURCES } from '@karpenter-ts/apis';
import type { StructuralSchema } from '@karpenter-ts/kubernetes';
import {
  closed,
  count,
  flag,
  instanceType,
  labels,
  list,
  metadata,
  name,
  nodeTerm,
  open,
  pod,
  quantities,
  taints,
  text,
  texts,
} from './object-schemas.ts';

const existingNode = closed(
  {
    name,
    labels,
    taints,
    node: closed({ labels, taints }, []),
    initialized: flag,
    capacity: quantities,
    allocatable: quantities,
    pods: list(pod),
    volumeLimits: { type: 'object', additionalProperties: count },
    refusesMovedPods: flag,
  },
  ['name', 'allocatable'],
);

const volumes = closed(
  {
    claims: list(open({ metadata, spec: open({ volumeName: text, storageClassName: text }) }, ['metadata', 'spec'])),
    persistentVolumes: list(
      open(
        {
          metadata,
          spec: open({
            csi: open({ driver: text }, ['driver']),
            nodeAffinity: open({ required: open({ nodeSelectorTerms: list(nodeTerm) }, ['nodeSelectorTerms']) }),
          }),
        },
        ['metadata', 'spec'],
      ),
    ),
    storageClasses: list(
      open(
        {
          metadata,
          provisioner: text,
          allowedTopologies: list(
            open({ matchLabelExpressions: list(open({ key: text, values: texts }, ['key', 'values'])) }),
          ),
        },
        ['metadata', 'provisioner'],
      ),
    ),
  },
  [],
);

const { schema: poolSchema } = RESOURCES.core.find(({ kind }) => kind === 'NodePool')!;

const nodePool: StructuralSchema = {
  ...poolSchema,
  properties: {
    ...poolSchema.properties,
    apiVersion: { type: 'string', enum: ['karpenter.sh/v1'] },
    kind: { type: 'string', enum: ['NodePool'] },
    metadata,
  },
  required: ['apiVersion', 'kind', 'metadata', ...(poolSchema.required ?? [])],
};

/** A fleet file as if it were a kind: the API server's words, paths and defaults come with that. */
export const FLEET: Resource = {
  group: 'karpenter-ts.dev',
  version: 'v1',
  kind: 'Fleet',
  plural: 'fleets',
  categories: [],
  scope: 'Cluster',
  columns: [],
  schema: closed(
    {
      catalogue: list(instanceType),
      nodePools: list(nodePool),
      pods: list(pod),
      daemonPods: list(pod),
      existing: list(existingNode),
      volumes,
    },
    ['catalogue', 'nodePools', 'pods'],
  ),
};
