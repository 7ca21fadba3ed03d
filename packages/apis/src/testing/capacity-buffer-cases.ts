import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type AdmissionCase, because } from './admission-case.ts';
import { type Changes, variant } from './variant.ts';

const buffer = (spec: JsonObject): JsonObject =>
  variant(
    {
      apiVersion: 'autoscaling.x-k8s.io/v1beta1',
      kind: 'CapacityBuffer',
      metadata: { name: 'default', namespace: 'default' },
      spec,
    },
    {},
  );
const nodeClass = (changes: Changes): JsonObject =>
  variant({ apiVersion: 'karpenter.kwok.sh/v1alpha1', kind: 'KWOKNodeClass', metadata: { name: 'default' } }, changes);

const podTemplateRef = { name: 'template' };
const scalableRef = { kind: 'Deployment', name: 'web' };

export const CAPACITY_BUFFER_CASES: readonly AdmissionCase[] = [
  {
    id: '01/63',
    title: 'a buffer refers to one thing and is not negative',
    flavour: 'aws',
    accepted: [
      buffer({ podTemplateRef, replicas: 0 }),
      buffer({ podTemplateRef, limits: { cpu: '4' } }),
      buffer({ scalableRef, percentage: 0 }),
      buffer({ scalableRef, percentage: 250 }),
      buffer({}),
    ],
    refused: [
      ...because('If podTemplateRef is set, replicas or limits must also be set', buffer({ podTemplateRef })),
      ...because(
        'You must define either PodTemplateRef or ScalableRef, but not both',
        buffer({ podTemplateRef, scalableRef, replicas: 1 }),
      ),
      ...because(
        'should be greater than or equal to 0',
        buffer({ scalableRef, replicas: -1 }),
        buffer({ scalableRef, percentage: -1 }),
      ),
      ...because(
        'should be at least 1 chars long',
        buffer({ podTemplateRef: { name: '' }, replicas: 1 }),
        buffer({ scalableRef: { kind: '', name: 'web' } }),
        buffer({ scalableRef: { kind: 'Deployment', name: '' } }),
      ),
      ...because(
        'Required value',
        buffer({ podTemplateRef: {}, replicas: 1 }),
        buffer({ scalableRef: { name: 'web' } }),
      ),
    ],
  },
  {
    id: '01/64',
    title: 'a scalableRef alone is enough',
    flavour: 'aws',
    accepted: [buffer({ scalableRef }), buffer({ scalableRef: { ...scalableRef, apiGroup: 'apps' } })],
  },
  {
    id: '01/67',
    title: 'a KWOKNodeClass needs no spec, and its delay is a duration',
    flavour: 'kwok',
    accepted: [nodeClass({}), nodeClass({ 'spec.nodeRegistrationDelay': '10s' }), nodeClass({ spec: {} })],
    refused: because(
      'should match',
      nodeClass({ 'spec.nodeRegistrationDelay': 'Never' }),
      nodeClass({ 'spec.nodeRegistrationDelay': '10' }),
    ),
  },
];
