import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type AdmissionCase, because } from './admission-case.ts';
import { type Changes, variant } from './variant.ts';

const BASE: JsonObject = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'default-x7k2p' },
  spec: {
    expireAfter: '720h',
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['spot'] }],
  },
};

const claim = (changes: Changes): JsonObject => variant(BASE, changes);
const key = (name: string): JsonObject =>
  claim({ 'spec.requirements': [{ key: name, operator: 'In', values: ['x'] }] });

export const NODE_CLAIM_CASES: readonly AdmissionCase[] = [
  {
    id: '01/46',
    title: 'the spec of a NodeClaim never changes, its labels may',
    flavour: 'aws',
    updates: [
      { from: claim({}), to: claim({ 'metadata.labels': { team: 'a' } }) },
      { from: claim({}), to: claim({ 'spec.expireAfter': 'Never' }), refused: 'spec is immutable' },
      { from: claim({}), to: claim({ 'spec.nodeClassRef.name': 'other' }), refused: 'spec is immutable' },
      { from: claim({}), to: claim({ 'spec.requirements': [] }), refused: 'spec is immutable' },
      { from: claim({}), to: claim({ 'spec.terminationGracePeriod': '1h' }), refused: 'spec is immutable' },
      {
        from: claim({ 'spec.resources.requests': { cpu: '1' } }),
        to: claim({ 'spec.resources.requests': { cpu: '2' } }),
        refused: 'spec is immutable',
      },
    ],
  },
  {
    id: '01/47',
    title: 'a NodeClaim may require its NodePool',
    flavour: 'aws',
    accepted: [key('karpenter.sh/nodepool'), claim({ 'spec.resources': { requests: { cpu: '1500m', memory: 1024 } } })],
    refused: [
      ...because(
        'label domain "karpenter.sh" is restricted',
        key('karpenter.sh/registered'),
        key('karpenter.sh/custom'),
      ),
      ...because('label "kubernetes.io/hostname" is restricted', key('kubernetes.io/hostname')),
      ...because('label domain "karpenter.k8s.aws" is restricted', key('karpenter.k8s.aws/custom')),
      ...because(
        'Required value',
        claim({ 'spec.nodeClassRef': undefined }),
        claim({ 'spec.requirements': undefined }),
      ),
    ],
  },
  {
    id: '01/47',
    title: 'a NodeClaim of KWOK may require what KWOK labels',
    flavour: 'kwok',
    accepted: [key('karpenter.kwok.sh/instance-family'), key('karpenter.kwok.sh/kwoknodeclass')],
    refused: because('label domain "karpenter.kwok.sh" is restricted', key('karpenter.kwok.sh/custom')),
  },
];
