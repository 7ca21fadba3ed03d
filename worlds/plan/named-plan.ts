import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { UsageError } from '../../tools/command-line.ts';
import { randomAwsPlan, randomPlan } from './random-plan.ts';
import type { AwsStep } from './aws-step.ts';
import type { KillPoint, PlannedStep, Step, WorldPlan } from './world-plan.ts';

/** More writes than a node's coming takes, or its going and that of the next one; events left out. */
const WRITES = {
  launch: 25,
  'delete-claim': 40,
  'delete-node': 40,
  empty: 25,
  abandon: 25,
  drift: 50,
  replace: 50,
} as const;
const CLOUDS = ['fleet', 'kwok'] as const;
const PHASES = ['launch', 'delete-claim', 'delete-node', 'empty', 'abandon', 'drift', 'replace'] as const;
const POOL = 'pool';
const APP = 'app';
/** What happens to a node that runs its pods, and ends in its deletion. There is none for a launch. */
const CAUSES: Readonly<Record<Phase, readonly Step[]>> = {
  launch: [],
  'delete-claim': [{ kind: 'delete-claim', choice: 0 }],
  'delete-node': [{ kind: 'delete-node', choice: 0 }],
  empty: [{ kind: 'scale', workload: APP, replicas: 0 }],
  abandon: [{ kind: 'scale', workload: APP, replicas: 0 }],
  drift: [{ kind: 'change-template', pool: POOL }],
  // Three of four pods go, so that the node is larger than it need be.
  replace: [{ kind: 'scale', workload: APP, replicas: 1 }],
};
/** By then the operator has died, and another one has yet to start: nothing is left of why the node was to go. */
const AFTERTHOUGHT = 60 * SECOND;
const AFTERTHOUGHTS: readonly Step[] = [
  {
    kind: 'change-disruption',
    pool: POOL,
    disruption: { consolidationPolicy: 'WhenEmpty', consolidateAfter: 'Never', budgets: [] },
  },
  { kind: 'scale', workload: APP, replicas: 2 },
];
const aws = (at: number, step: AwsStep): PlannedStep => ({ at, step: { kind: 'aws', aws: step } });
/** What AWS does in worlds in which nothing else goes wrong, by their names. */
const AWS_TROUBLES = {
  'aws:interruption': [
    aws(4 * MINUTE, { kind: 'interrupt', choice: 0 }),
    aws(8 * MINUTE, { kind: 'interrupt', choice: 0.5 }),
    aws(11 * MINUTE, { kind: 'interrupt', choice: 0.9 }),
  ],
  'aws:lost-answer': [
    aws(4 * MINUTE, { kind: 'fault', operation: 'CreateFleet', fault: 'lose', times: 2 }),
    { at: 4 * MINUTE, step: { kind: 'scale', workload: APP, replicas: 9 } },
  ],
  'aws:drought': [aws(0, { kind: 'no-capacity', pool: {}, duration: 6 * MINUTE })],
} as const satisfies Readonly<Record<string, readonly PlannedStep[]>>;
type Phase = (typeof PHASES)[number];
const WHENS = ['before', 'after'] as const;

/** The worlds in which the operator dies at each write of a node's life in turn, and at each call to the cloud. */
export function everyWrite(): readonly string[] {
  const writes = (phase: Phase): readonly string[] =>
    Array.from({ length: WRITES[phase] }, (_, index) => `${index + 1}`);
  return CLOUDS.flatMap((cloud) =>
    PHASES.flatMap((phase) =>
      WHENS.flatMap((when) => [...writes(phase), 'cloud'].map((point) => [phase, cloud, when, point].join(':'))),
    ),
  );
}

/**
 * The world of a name: `42` is that of the seed, `aws:42` that with AWS, `aws:interruption` one of `AWS_TROUBLES`, `launch:kwok:before:7` one of `everyWrite`. Throws if there is none.
 */
export function planOf(name: string): WorldPlan {
  if (/^\d+$/.test(name)) return randomPlan(Number(name));
  if (Object.hasOwn(AWS_TROUBLES, name)) return quietPlan(AWS_TROUBLES[name as keyof typeof AWS_TROUBLES]);
  if (/^aws:\d+$/.test(name)) return randomAwsPlan(Number(name.slice('aws:'.length)));
  const [phase, cloud, when, point] = name.split(':');
  const found = {
    phase: PHASES.find((one) => one === phase),
    cloud: CLOUDS.find((one) => one === cloud),
    when: WHENS.find((one) => one === when),
  };
  if (!found.phase || !found.cloud || !found.when || !/^(\d+|cloud)$/.test(point ?? '')) {
    throw new UsageError(`there is no world ${name}: it is a number, or such as aws:7 or launch:kwok:before:7`);
  }
  const isPurchase = ['launch', 'drift', 'replace'].includes(found.phase);
  const method = isPurchase ? 'create' : 'delete';
  const at: KillPoint =
    point === 'cloud'
      ? { kind: 'cloud', method, when: found.when }
      : { kind: 'write', nth: Number(point), when: found.when };
  return mortalPlan(found.phase, found.cloud, at);
}

/** A world with AWS in which nothing else goes wrong. */
function quietPlan(steps: readonly PlannedStep[]): WorldPlan {
  const app = { kind: 'Deployment', replicas: 6, cpu: '1', graceSeconds: 5, tolerates: false } as const;
  return {
    seed: 1,
    cloud: 'aws',
    repairs: false,
    replicas: 1,
    pools: [{ name: POOL, weight: 10, isTainted: false, expireAfter: 'Never', capacityType: 'spot' }],
    workloads: [{ name: APP, ...app, hasFinalizer: false, hasVolume: false, isSpread: true }],
    steps,
  };
}

function mortalPlan(phase: Phase, cloud: WorldPlan['cloud'], at: KillPoint): WorldPlan {
  const time = phase === 'launch' ? 0 : 2 * MINUTE;
  const isAbandoned = phase === 'abandon';
  const downFor = isAbandoned ? 90 * SECOND : 20 * SECOND;
  const kill: PlannedStep = { at: time, step: { kind: 'kill', at, downFor } };
  const causes = CAUSES[phase].map((step): PlannedStep => ({ at: time, step }));
  const later = (isAbandoned ? AFTERTHOUGHTS : []).map((step): PlannedStep => ({ at: time + AFTERTHOUGHT, step }));
  const replicas = phase === 'replace' ? 4 : 2;
  const app = { kind: 'Deployment', replicas, cpu: '1', graceSeconds: 5, tolerates: false } as const;
  return {
    seed: 1,
    cloud,
    repairs: false,
    replicas: 1,
    // Spot nodes are not replaced by others of their kind.
    pools: [{ name: POOL, weight: 10, isTainted: false, expireAfter: 'Never', capacityType: 'on-demand' }],
    workloads: [{ name: APP, ...app, maxUnavailable: 1, hasFinalizer: false, hasVolume: false, isSpread: false }],
    steps: [kill, ...causes, ...later],
  };
}
