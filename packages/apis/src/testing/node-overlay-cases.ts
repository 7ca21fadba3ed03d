import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type AdmissionCase, because } from './admission-case.ts';
import { type Changes, variant } from './variant.ts';

const BASE: JsonObject = {
  apiVersion: 'karpenter.sh/v1alpha1',
  kind: 'NodeOverlay',
  metadata: { name: 'default' },
  spec: { requirements: [] },
};

const overlay = (changes: Changes): JsonObject => variant(BASE, changes);
const requires = (item: JsonObject): JsonObject => overlay({ 'spec.requirements': [item] });

export const NODE_OVERLAY_CASES: readonly AdmissionCase[] = [
  {
    id: '01/55',
    title: 'a price has digits before the point and no sign, exponent or percent',
    flavour: 'aws',
    accepted: ['43', '34.43', '0'].map((price) => overlay({ 'spec.price': price })),
    refused: ['+42', '.5', '42.', '42%', '1e10', ' 42', ''].flatMap((price) =>
      because('should match', overlay({ 'spec.price': price })),
    ),
  },
  {
    id: '01/56',
    title: 'a price adjustment is signed and takes away at most all of the price',
    flavour: 'aws',
    accepted: ['+1%', '-1%', '-100%', '+298%', '-34.43', '+.5', '-99.9%', '+1.2', '-129'].map((text) =>
      overlay({ 'spec.priceAdjustment': text }),
    ),
    refused: ['1', '1%', '1.3', '-100.0%', '-101%', '+', ''].flatMap((text) =>
      because('should match', overlay({ 'spec.priceAdjustment': text })),
    ),
  },
  {
    id: '01/57',
    title: 'price and priceAdjustment exclude each other',
    flavour: 'aws',
    refused: because(
      "cannot set both 'price' and 'priceAdjustment'",
      overlay({ 'spec.price': '1', 'spec.priceAdjustment': '+1' }),
    ),
  },
  {
    id: '01/58',
    title: 'overlays add resources that instance types do not have of themselves',
    flavour: 'aws',
    accepted: [
      overlay({ 'spec.capacity': { 'smarter-devices/fuse': 1 } }),
      overlay({ 'spec.capacity': { 'vpc.amazonaws.com/efa': '1' } }),
    ],
    refused: ['cpu', 'memory', 'pods', 'ephemeral-storage'].flatMap((resource) =>
      because('invalid resource restricted', overlay({ 'spec.capacity': { [resource]: '1' } })),
    ),
  },
  {
    id: '01 §4',
    title: 'overlay requirements have no minValues and need values for NotIn',
    flavour: 'aws',
    accepted: [
      requires({ key: 'karpenter.sh/nodepool', operator: 'In', values: ['default'] }),
      requires({ key: 'karpenter.k8s.aws/instance-family', operator: 'Exists' }),
      overlay({ 'spec.weight': 10000 }),
    ],
    refused: [
      ...because(
        "requirements with operator 'NotIn' must have a value defined",
        requires({ key: 'a', operator: 'NotIn', values: [] }),
      ),
      ...because(
        "requirements with operator 'In' must have a value defined",
        requires({ key: 'a', operator: 'In', values: [] }),
      ),
      ...because(
        "requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive integer value",
        requires({ key: 'a', operator: 'Gt', values: ['1', '2'] }),
      ),
      ...because(
        'unknown field "spec.requirements[0].minValues"',
        requires({ key: 'a', operator: 'Exists', minValues: 2 }),
      ),
      ...because('is restricted', requires({ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'Exists' })),
      ...because('should be less than or equal to 10000', overlay({ 'spec.weight': 10001 })),
      ...because('should be greater than or equal to 1', overlay({ 'spec.weight': 0 })),
      ...because('Required value', overlay({ 'spec.requirements': undefined })),
    ],
  },
];
