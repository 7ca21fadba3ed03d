import type { NodePool } from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { type Row, rowOf } from '../report.ts';
import { messageFrom, startChild, stopChild } from '../runtime/children.ts';
import { findUpstreamProgram } from '../upstream-program.ts';
import type { Ec2PlanningFigures } from './planning-process.ts';

/** What upstream's planner is given: bench/upstream/planning. */
export interface UpstreamSnapshot {
  readonly nodePools: readonly NodePool[];
  readonly pods: readonly Pod[];
  readonly instanceTypes: readonly InstanceType[];
}

/** What it has measured, by run. */
interface UpstreamFigures {
  readonly nodes: number;
  readonly unplaced: number;
  readonly setUpSeconds: readonly number[];
  readonly solveSeconds: readonly number[];
}

/** The part of upstream's time that is allowed: a sixtieth. */
const MOST = 0.0166;
/** One takes 20 seconds. */
const UPSTREAM_RUNS = 1;

/**
 * 1,000 pods, of the mix of upstream's own benchmark, on all types of us-east-1 as the provider resolves them: our planner
 * and upstream's on the same data, one after the other. Of upstream's time only the solving counts, of ours all.
 */
export async function measureEc2Planning(): Promise<readonly Row[]> {
  const ours = await measureOurs();
  const { types, nodes, unplaced, indexedAnew } = ours;
  const upstream = await measureUpstream(ours);
  const planned = `1,000 pods on ${types} types`;
  const row = (what: string, seconds: readonly number[]): Row => {
    const [beside] = upstream?.solveSeconds ?? [];
    if (beside === undefined) return rowOf(what, 's', undefined, seconds);
    return rowOf(
      `${what}, as a part of upstream's time`,
      '',
      MOST,
      seconds.map((one) => one / beside),
    );
  };
  return [
    ...(upstream === undefined ? [] : [rowOf(`${planned}: upstream`, 's', undefined, upstream.solveSeconds)]),
    rowOf(`${planned}: our first plan of a process`, 's', undefined, [ours.firstSeconds]),
    rowOf(`${planned}: policy Upstream`, 's', undefined, ours.upstreamPolicySeconds),
    row('  policy Upstream', ours.upstreamPolicySeconds),
    row('  policy CostAware, the default', ours.defaultPolicySeconds),
    rowOf('  nodes more than upstream buys', 'nodes', 0, [nodes - (upstream?.nodes ?? nodes)]),
    rowOf('  pods without a place', 'pods', 0, [unplaced]),
    rowOf('  types indexed anew after a refresh that changes no price', 'types', 0, [indexedAnew]),
  ];
}

async function measureOurs(): Promise<Ec2PlanningFigures> {
  const server = startChild('../aws/emulator-server.ts', []);
  const { endpoint } = await messageFrom<{ endpoint: string }>(server);
  const child = startChild('../aws/planning-process.ts', [endpoint]);
  try {
    return await messageFrom<Ec2PlanningFigures>(child);
  } finally {
    await Promise.all([stopChild(child), stopChild(server)]);
  }
}

/** Undefined, with a message, where there is no Go. */
async function measureUpstream({ snapshot }: Ec2PlanningFigures): Promise<UpstreamFigures | undefined> {
  const found = await findUpstreamProgram<UpstreamSnapshot, UpstreamFigures>('planning');
  if (found.kind === 'here') return found.run(snapshot, UPSTREAM_RUNS);
  process.stderr.write(`upstream is not measured here, so the ratios to it are not checked: ${found.why}\n`);
  return undefined;
}
