import { defaulted, type Infer, object, string } from '../../schema/schema.ts';
import { unkeyedConditions } from '../condition.ts';
import { DURATION } from '../patterns.ts';
import type { KubernetesObject } from '@karpenter-ts/kubernetes';
import type { Resource } from '../../schema/resource.ts';

/** A simulated class has nothing to resolve, so it is ready from the first moment. */
const READY_FROM_BIRTH = {
  conditions: [
    { lastTransitionTime: '2024-01-01T01:01:01Z', message: '', reason: 'Ready', status: 'True', type: 'Ready' },
  ],
};

const body = object('How simulated nodes are made.', {
  spec: object('Settings of simulated nodes.', {
    nodeRegistrationDelay: string('How long a node takes to register after its launch.', { pattern: DURATION }),
  }),
  status: defaulted(object('Whether the class can be used.', { conditions: unkeyedConditions }), READY_FROM_BIRTH),
});

export type KWOKNodeClass = KubernetesObject<'karpenter.kwok.sh/v1alpha1', 'KWOKNodeClass', Infer<typeof body>>;

export const kwokNodeClassResource: Resource = {
  group: 'karpenter.kwok.sh',
  version: 'v1alpha1',
  kind: 'KWOKNodeClass',
  plural: 'kwoknodeclasses',
  shortNames: ['kwoknc', 'kwokncs'],
  categories: ['karpenter'],
  scope: 'Cluster',
  columns: [],
  schema: body,
};
