// What-ifs on one cluster in a process of its own: whatif-process.ts NODES
import { DEFAULT_PLANNING, finish, readPlanningBase } from '@karpenter-ts/scheduling';
import { consolidationCluster, REFERENCE_PROFILE, referenceCatalogue } from '@karpenter-ts/scheduling/testing';

/** The cost of asking where one node's pods would go. */
export interface WhatIfFigures {
  readonly pods: number;
  /** Building the snapshot, once for all questions. */
  readonly baseMs: number;
  readonly medianMs: number;
  readonly meanMs: number;
  /** The answers: nodes whose pods fit on the others, and nodes that one new node could replace. */
  readonly removable: number;
  readonly replaceable: number;
  readonly peakRssMb: number;
}

const WARM_UP = 100;
const MOST_QUESTIONS = 1_000;

/** Asks about nodes spread evenly over the cluster, each once. */
export function measureWhatIf(count: number): WhatIfFigures {
  const snapshot = consolidationCluster(count, referenceCatalogue());
  const started = performance.now();
  const base = finish(
    readPlanningBase(snapshot, { ...DEFAULT_PLANNING, profile: REFERENCE_PROFILE, reservedCapacity: 'Fallback' }),
  );
  const baseMs = performance.now() - started;
  const ask = (index: number) => {
    const { providerId, pods } = snapshot.nodes[index % count]!;
    return finish(base.whatIf({ withoutNodes: [providerId], withPods: pods }));
  };
  for (let index = 0; index < WARM_UP; index++) ask(index * 7);
  const questions = Math.min(count, MOST_QUESTIONS);
  const times: number[] = [];
  let removable = 0;
  let replaceable = 0;
  for (let index = 0; index < questions; index++) {
    const before = performance.now();
    const { newNodes, unschedulable } = ask(Math.floor((index * count) / questions));
    times.push(performance.now() - before);
    if (unschedulable.length > 0) continue;
    if (newNodes.length === 0) removable++;
    else if (newNodes.length === 1) replaceable++;
  }
  return {
    pods: snapshot.nodes.reduce((sum, { pods }) => sum + pods.length, 0),
    baseMs,
    medianMs: times.toSorted((a, b) => a - b)[times.length >> 1]!,
    meanMs: times.reduce((sum, ms) => sum + ms, 0) / times.length,
    removable,
    replaceable,
    peakRssMb: process.resourceUsage().maxRSS / 1024,
  };
}

process.send?.(measureWhatIf(Number(process.argv[2])));
process.disconnect();
