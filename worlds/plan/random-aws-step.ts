import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { AWS_TYPES, AWS_ZONES } from '../cloud/aws-cloud.ts';
import { AWS_FAULTS, AWS_OPERATIONS } from '../faults/aws-fault.ts';
import type { AwsPool, AwsStep } from './aws-step.ts';

type Maker = (random: Random) => AwsStep;

const choice = (random: Random): number => random.below(1000) / 1000;
const minutes = (random: Random, most: number): number => (1 + random.below(most)) * MINUTE;

/** How often each kind of step comes, and what it is like. */
const MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [
    12,
    (random) => ({
      kind: 'fault',
      operation: random.pick(AWS_OPERATIONS),
      fault: random.pick(AWS_FAULTS),
      times: 1 + random.below(4),
    }),
  ],
  [5, (random) => ({ kind: 'no-capacity', pool: randomPool(random), duration: minutes(random, 6) })],
  [1, (random) => ({ kind: 'no-addresses', zone: random.pick(AWS_ZONES), duration: minutes(random, 6) })],
  [3, (random) => ({ kind: 'slow-to-show', most: (5 + random.below(55)) * SECOND, duration: minutes(random, 8) })],
  [7, (random) => ({ kind: 'interrupt', choice: choice(random) })],
  [3, (random) => ({ kind: 'interrupt-launches', age: random.pick(LAUNCH_AGES), times: 1 + random.below(3) })],
  [1, (random) => ({ kind: 'rebalance', choice: choice(random) })],
  [1, (random) => ({ kind: 'retire', choice: choice(random) })],
  [1, (random) => ({ kind: 'impair', choice: choice(random) })],
  [4, (random) => ({ kind: 'release-images', deprecates: random.chance(0.7) })],
  [
    4,
    (random) => ({
      kind: 'messages',
      fault: random.pick(['lost', 'repeated', 'repeated', 'reordered', 'reordered']),
      duration: minutes(random, 8),
    }),
  ],
  [1, (random) => ({ kind: 'stray-message', body: random.pick(STRAYS) })],
  [
    6,
    (random) => ({
      kind: 'edit-node-class',
      edit: random.pick([
        'tags',
        'user-data',
        'fewer-subnets',
        'no-subnets',
        'no-groups',
        'role',
        'role',
        'missing-role',
      ]),
      duration: minutes(random, 8),
    }),
  ],
  [2, (random) => ({ kind: 'no-iam', duration: minutes(random, 5) })],
];

/** Before EC2 tells of the instance, while it starts, while it boots, and just after it has joined. */
const LAUNCH_AGES = [0, 1, 500, 3 * SECOND, 10 * SECOND, 30 * SECOND, 45 * SECOND] as const;

const STRAYS = [
  '{}',
  'not JSON',
  JSON.stringify({ source: 'aws.ec2', 'detail-type': 'EC2 Spot Instance Interruption Warning', version: '0' }),
] as const;

/** Something that may happen in AWS. */
export function randomAwsStep(random: Random): AwsStep {
  let left = random.below(MAKERS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of MAKERS) {
    left -= weight;
    if (left < 0) return make(random);
  }
  throw new Error('the weights do not add up');
}

function randomPool(random: Random): AwsPool {
  return {
    ...(random.chance(0.6) && { instanceType: random.pick(AWS_TYPES) }),
    ...(random.chance(0.5) && { zone: random.pick(AWS_ZONES) }),
    ...(random.chance(0.6) && { lifecycle: random.pick(['spot', 'on-demand'] as const) }),
  };
}
