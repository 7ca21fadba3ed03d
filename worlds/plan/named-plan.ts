import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { UsageError } from '../../tools/command-line.ts';
import { randomPlan } from './random-plan.ts';
import type { KillPoint, PlannedStep, WorldPlan } from './world-plan.ts';

/** More writes than a node's coming takes, or its going and that of the next one; events left out. */
const WRITES = { launch: 25, 'delete-claim': 40, 'delete-node': 40 } as const;
const CLOUDS = ['fleet', 'kwok'] as const;
const PHASES = ['launch', 'delete-claim', 'delete-node'] as const;
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

/** The world of a name: `42` is that of the seed, `launch:kwok:before:7` one of `everyWrite`. Throws if there is none. */
export function planOf(name: string): WorldPlan {
  if (/^\d+$/.test(name)) return randomPlan(Number(name));
  const [phase, cloud, when, point] = name.split(':');
  const found = {
    phase: PHASES.find((one) => one === phase),
    cloud: CLOUDS.find((one) => one === cloud),
    when: WHENS.find((one) => one === when),
  };
  if (!found.phase || !found.cloud || !found.when || !/^(\d+|cloud)$/.test(point ?? '')) {
    throw new UsageError(`there is no world ${name}: it is a number, or such as launch:kwok:before:7`);
  }
  const method = found.phase === 'launch' ? 'create' : 'delete';
  const at: KillPoint =
    point === 'cloud'
      ? { kind: 'cloud', method, when: found.when }
      : { kind: 'write', nth: Number(point), when: found.when };
  return mortalPlan(found.phase, found.cloud, at);
}

function mortalPlan(phase: Phase, cloud: WorldPlan['cloud'], at: KillPoint): WorldPlan {
  const time = phase === 'launch' ? 0 : 2 * MINUTE;
  const kill: PlannedStep = { at: time, step: { kind: 'kill', at, downFor: 20 * SECOND } };
  const deletion: readonly PlannedStep[] = phase === 'launch' ? [] : [{ at: time, step: { kind: phase, choice: 0 } }];
  const app = { kind: 'Deployment', replicas: 2, cpu: '1', graceSeconds: 5, tolerates: false } as const;
  return {
    seed: 1,
    cloud,
    repairs: false,
    replicas: 1,
    pools: [],
    workloads: [{ name: 'app', ...app, maxUnavailable: 1, hasFinalizer: false, hasVolume: false, isSpread: false }],
    steps: [kill, ...deletion],
  };
}
