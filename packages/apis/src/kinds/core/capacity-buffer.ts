import { defaulted, type Infer, integer, object, required, string } from '../../schema/schema.ts';
import { conditions } from '../condition.ts';
import type { KubernetesObject } from '@karpenter-ts/kubernetes';
import { AGE_COLUMN, type Resource } from '../../schema/resource.ts';
import { resourceList } from '../resource-list.ts';

const podTemplateRef = object('A PodTemplate of the same namespace.', {
  name: required(string('Name of the PodTemplate.', { minLength: 1 })),
});

const scalableRef = object('A workload whose pods say how large a chunk is.', {
  apiGroup: string('API group of the workload; apps if left out.'),
  kind: required(string('Kind of the workload.', { minLength: 1 })),
  name: required(string('Name of the workload.', { minLength: 1 })),
});

const spec = object(
  'How much room to keep free, in chunks the size of a pod.',
  {
    limits: resourceList('The most all chunks together may take.'),
    percentage: integer('Chunks as a percentage of the replicas of the workload.', { format: 'int32', minimum: 0 }),
    podTemplateRef,
    provisioningStrategy: defaulted(string('Who keeps the room free, and how.'), 'buffer.x-k8s.io/active-capacity'),
    replicas: integer('Number of chunks.', { format: 'int32', minimum: 0 }),
    scalableRef,
  },
  [
    {
      message: 'If podTemplateRef is set, replicas or limits must also be set',
      rule: '!has(self.podTemplateRef) || has(self.replicas) || has(self.limits)',
    },
    {
      message: 'You must define either PodTemplateRef or ScalableRef, but not both',
      rule: '!(has(self.podTemplateRef) && has(self.scalableRef))',
    },
  ],
);

const status = object('What was made of the request.', {
  conditions,
  podTemplateGeneration: integer('Generation of the PodTemplate last seen.', { format: 'int64' }),
  podTemplateRef,
  provisioningStrategy: string('The strategy in force.'),
  replicas: integer('Number of chunks kept.', { format: 'int32' }),
});

const body = object('Alpha. Room kept free so that pods to come start at once.', { spec: required(spec), status });

export type CapacityBuffer = KubernetesObject<'autoscaling.x-k8s.io/v1beta1', 'CapacityBuffer', Infer<typeof body>>;

export const capacityBufferResource: Resource = {
  group: 'autoscaling.x-k8s.io',
  version: 'v1beta1',
  kind: 'CapacityBuffer',
  plural: 'capacitybuffers',
  shortNames: ['cb'],
  categories: ['autoscaling'],
  scope: 'Namespaced',
  columns: [
    {
      name: 'Strategy',
      type: 'string',
      jsonPath: '.spec.provisioningStrategy',
      description: 'Who keeps the room free.',
    },
    {
      name: 'PodTemplate',
      type: 'string',
      jsonPath: '.status.podTemplateRef.name',
      description: 'The PodTemplate in use.',
    },
    { name: 'Replicas', type: 'integer', jsonPath: '.status.replicas', description: 'Number of chunks kept.' },
    {
      name: 'ConditionsType',
      type: 'string',
      jsonPath: '.status.conditions[*].type',
      description: 'All condition types.',
    },
    {
      name: 'ConditionsStatus',
      type: 'string',
      jsonPath: '.status.conditions[*].status',
      description: 'The status of each.',
    },
    {
      name: 'ConditionsReason',
      type: 'string',
      jsonPath: '.status.conditions[*].reason',
      description: 'The reason of each.',
    },
    { ...AGE_COLUMN, description: 'Time since it was created.' },
  ],
  schema: body,
};
