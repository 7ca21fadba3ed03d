// Planning on the types that the provider resolves for a NodeClass, in a process of its own: planning-process.ts URL
import { AWS_PROFILE } from '@karpenter-ts/apis';
import {
  Catalogues,
  DEFAULT_PLANNING,
  EMPTY_SNAPSHOT,
  finish,
  type PackingOptions,
  type Plan,
  planSnapshot,
} from '@karpenter-ts/scheduling';
import { DEFAULT_PACKING, diversePods, REFERENCE_POOL } from '@karpenter-ts/scheduling/testing';
import { createCatalogue, nodeClass } from './ec2-catalogue.ts';
import type { UpstreamSnapshot } from './planning.ts';

export interface Ec2PlanningFigures {
  /** What was planned, for upstream to plan as well. */
  readonly snapshot: UpstreamSnapshot;
  readonly types: number;
  readonly nodes: number;
  readonly unplaced: number;
  /** The first plan of the process: nothing is compiled, no type indexed. */
  readonly firstSeconds: number;
  /** Later ones, with policy Upstream and with the controller's defaults. */
  readonly upstreamPolicySeconds: readonly number[];
  readonly defaultPolicySeconds: readonly number[];
  /** How many types are indexed for the first plan after a refresh of prices that changes none. */
  readonly indexedAnew: number;
}

const PODS = 1_000;
const WARM_UPS = 20;
const RUNS = 9;
const signal = new AbortController().signal;

async function measure(endpoint: string): Promise<Ec2PlanningFigures> {
  const { discovered, source, refresh } = await createCatalogue(endpoint);
  await refresh();
  const list = () => source.listInTurns(nodeClass(discovered.zones, 58), undefined, signal);
  const instanceTypes = await list();
  const catalogues = new Catalogues();
  const pods = diversePods(PODS);
  const time = (packing: PackingOptions | undefined): { readonly plan: Plan; readonly seconds: number } => {
    const pools = [{ nodePool: REFERENCE_POOL, instanceTypes }];
    const snapshot = { ...EMPTY_SNAPSHOT, pods: structuredClone(pods), pools };
    const started = performance.now();
    const plan = finish(planSnapshot(snapshot, { ...DEFAULT_PLANNING, profile: AWS_PROFILE, packing }, catalogues));
    return { plan, seconds: (performance.now() - started) / 1000 };
  };
  const first = time(undefined);
  const timesOf = (packing: PackingOptions | undefined): readonly number[] => {
    for (let run = 0; run < WARM_UPS; run++) time(packing);
    return Array.from({ length: RUNS }, () => time(packing).seconds);
  };
  const upstreamPolicySeconds = timesOf(undefined);
  const defaultPolicySeconds = timesOf(DEFAULT_PACKING);
  const indexed = catalogues.of(instanceTypes, AWS_PROFILE);
  await refresh();
  const again = catalogues.of(await list(), AWS_PROFILE);
  return {
    snapshot: { nodePools: [REFERENCE_POOL], pods, instanceTypes },
    types: instanceTypes.length,
    nodes: first.plan.newNodes.length,
    unplaced: first.plan.unschedulable.length,
    firstSeconds: first.seconds,
    upstreamPolicySeconds,
    defaultPolicySeconds,
    indexedAnew: again === indexed ? 0 : instanceTypes.length,
  };
}

// The snapshot takes several writes, so the channel must stay open until they are done.
process.send!(await measure(process.argv[2]!), () => process.disconnect());
