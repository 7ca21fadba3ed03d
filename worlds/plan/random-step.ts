import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { JOIN_FAULTS } from '../cloud/join-fault.ts';
import { API_FAULTS } from '../faults/api-fault.ts';
import { FAULTS_OF } from '../faults/cloud-fault.ts';
import { FALLBACK } from '../cluster/manifests.ts';
import { randomAwsStep } from './random-aws-step.ts';
import { randomDisruption } from './random-disruption.ts';
import type { KillPoint, Requests, Step, WorldPlan } from './world-plan.ts';

type Traits = Pick<WorldPlan, 'cloud' | 'pools' | 'workloads'>;
type Maker = (random: Random, traits: Traits) => Step;

const choice = (random: Random): number => random.below(1000) / 1000;
const minutes = (random: Random, most: number): number => (1 + random.below(most)) * MINUTE;

/** How often each kind of step comes, and what it is like. */
const MAKERS: readonly (readonly [weight: number, make: Maker])[] = [
  [7, (random, { workloads }) => ({ kind: 'scale', workload: random.pick(workloads).name, replicas: random.below(9) })],
  [2, (random, { workloads }) => ({ kind: 'roll-out', workload: random.pick(workloads).name })],
  [1, (random) => ({ kind: 'delete-pod', choice: choice(random) })],
  [4, (random) => ({ kind: 'delete-claim', choice: choice(random) })],
  [4, (random) => ({ kind: 'delete-node', choice: choice(random) })],
  [2, (random, { pools }) => ({ kind: 'delete-pool', pool: random.pick(pools).name, backAfter: minutes(random, 8) })],
  [5, (random, { pools }) => ({ kind: 'change-template', pool: anyPool(random, pools) })],
  [
    1,
    (random, { pools }) => ({
      kind: 'change-requirements',
      pool: anyPool(random, pools),
      capacityType: random.pick(['spot', 'on-demand']),
    }),
  ],
  [
    2,
    (random, { pools }) => ({
      kind: 'change-disruption',
      pool: anyPool(random, pools),
      disruption: randomDisruption(random),
    }),
  ],
  [1, (random) => ({ kind: 'protect-node', choice: choice(random), duration: minutes(random, 10) })],
  [1, (random) => ({ kind: 'drift-instances', duration: minutes(random, 8) })],
  [1, (random) => ({ kind: 'delete-node-class', backAfter: minutes(random, 8) })],
  [3, brokenNode],
  [1, (random) => ({ kind: 'strip-labels', choice: choice(random) })],
  [2, (random) => ({ kind: 'end-instance', choice: choice(random) })],
  [1, (random) => ({ kind: 'hold-volume', choice: choice(random) })],
  [3, (random) => ({ kind: 'join-fault', fault: random.pick(JOIN_FAULTS), times: 1 + random.below(3) })],
  [5, cloudFault],
  [
    5,
    (random) => ({
      kind: 'api-fault',
      requests: requests(random),
      fault: random.pick(API_FAULTS),
      times: 1 + random.below(4),
    }),
  ],
  [1, () => ({ kind: 'cut-watches' })],
  [1, (random) => ({ kind: 'outage', duration: (5 + random.below(90)) * SECOND })],
  [7, (random) => ({ kind: 'kill', at: killPoint(random), downFor: random.below(90) * SECOND })],
  [1, (random) => ({ kind: 'jump-clock', by: (random.below(41) - 20) * MINUTE })],
];

/** Faults of a cloud without a wire, and of instances that it only simulates. */
const NOT_OF_AWS: ReadonlySet<Step['kind']> = new Set(['cloud-fault', 'join-fault', 'drift-instances']);

/** Something that may happen in a world of these traits. With AWS, every second step is about that. */
export function randomStep(random: Random, traits: Traits): Step {
  if (traits.cloud !== 'aws') return commonStep(random, traits);
  if (random.chance(0.5)) return { kind: 'aws', aws: randomAwsStep(random) };
  const step = commonStep(random, traits);
  if (NOT_OF_AWS.has(step.kind) || (step.kind === 'delete-node-class' && traits.workloads.some(mayHoldNode))) {
    return { kind: 'aws', aws: randomAwsStep(random) };
  }
  return step.kind === 'kill' && random.chance(0.4) ? { ...step, at: awsKillPoint(random) } : step;
}

/**
 * Whether its pods can keep a node for ever, and with that an EC2NodeClass, which goes after all its NodeClaims. A budget
 * that lets one pod go lets no other go before that one runs elsewhere, where no node is bought until the class is back.
 */
function mayHoldNode({ maxUnavailable, protection }: Traits['workloads'][number]): boolean {
  return maxUnavailable !== undefined || protection !== undefined;
}

function commonStep(random: Random, traits: Traits): Step {
  let left = random.below(MAKERS.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, make] of MAKERS) {
    left -= weight;
    if (left < 0) return make(random, traits);
  }
  throw new Error('the weights do not add up');
}

/** One of the plan's, or the one that every world has. */
function anyPool(random: Random, pools: Traits['pools']): string {
  return random.pick([FALLBACK, ...pools.map(({ name }) => name)]);
}

function brokenNode(random: Random): Step {
  const fault = random.pick(['lost', 'lost', 'unhealthy', 'slow-drain'] as const);
  return { kind: 'break-node', choice: choice(random), fault, duration: minutes(random, 15) };
}

function cloudFault(random: Random): Step {
  const method = random.pick(['create', 'create', 'create', 'delete', 'get', 'list', 'instanceTypes'] as const);
  return { kind: 'cloud-fault', method, fault: random.pick(FAULTS_OF[method]), times: 1 + random.below(4) };
}

function requests(random: Random): Requests {
  const path = random.pick(['', 'nodeclaims', 'nodeclaims', 'nodes', 'pods', 'nodepools', 'events']);
  const method = random.pick(['', 'POST', 'PATCH', 'PATCH', 'DELETE', 'GET'] as const);
  return { ...(method && { method }), ...(path && { path }), nth: 1 + random.below(6) };
}

/** Most of a controller's life is writing: the first dozen writes cover a launch and an end. */
function killPoint(random: Random): KillPoint {
  const when = random.pick(['before', 'after'] as const);
  const kind = random.pick(['now', 'write', 'write', 'write', 'cloud'] as const);
  switch (kind) {
    case 'now':
      return { kind };
    case 'write':
      return { kind, nth: 1 + random.below(15), when };
    case 'cloud':
      return { kind, method: random.pick(['create', 'delete']), when };
    default:
      return kind satisfies never;
  }
}

function awsKillPoint(random: Random): KillPoint {
  return { kind: 'aws', nth: 1 + random.below(5), when: random.pick(['before', 'after']) };
}
