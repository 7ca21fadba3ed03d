import { type DisruptionReason, NODEPOOL_LABEL, UPSTREAM_DISRUPTION } from '@karpenter-ts/apis';
import {
  type Attempt,
  type CandidateLook,
  expiryOf,
  PoolSettings,
  METHOD_NAMES,
  METHODS,
  type MethodName,
  OfflineCluster,
  type OfflineObjects,
  OfflinePass,
  planPendingPods,
  renderBlock,
  renderIneligibility,
  runPass,
  tryMethod,
  walkToRest,
} from '@karpenter-ts/core';
import { timestamp } from '@karpenter-ts/kubernetes';
import { type Plan, type PlanningOptions, podName } from '@karpenter-ts/scheduling';
import { type PlanFile, toPlanFile } from '../fleet/plan-file.ts';
import { version } from '../version.ts';
import { type Looks, stayReasons } from './stay-reasons.ts';
import type {
  AllowanceEntry,
  ClusterDocument,
  ExpirationEntry,
  FixedPointEntry,
  LoopEntry,
  MethodEntry,
  StepEntry,
} from './cluster-document.ts';
import { commandEntry, optionEntry, rejectionText, rounded } from './command-entries.ts';

/** What to tell about a cluster. */
export interface ReportRequest {
  readonly objects: OfflineObjects;
  readonly methods: readonly MethodName[];
  /** Whether to carry the commands out until nothing changes any more. */
  readonly untilStable: boolean;
  /** How to plan what pending pods would get; undefined not to tell. */
  readonly provisioning?: PlanningOptions | undefined;
  readonly expirations?: boolean;
}

/** What the controller would do with a cluster, method by method, and in the end. */
export async function reportOnCluster(request: ReportRequest, signal: AbortSignal): Promise<ClusterDocument> {
  const { objects, methods, untilStable, provisioning, expirations = false } = request;
  const cluster = new OfflineCluster(objects);
  const synced = cluster.model.hasSynced();
  const first = await OfflinePass.read(cluster, signal);
  const started = performance.now();
  const attempts = new Map<MethodName, Attempt | undefined>();
  for (const method of methods) {
    cluster.clock.rewind();
    attempts.set(method, await tryMethod(cluster, method, signal));
  }
  const seconds = (performance.now() - started) / 1000;
  cluster.clock.rewind();
  const looks = await lookAtEach(first, methods, signal);
  const entries = methods.map((method) => {
    return [method, methodEntry(first, method, attempts.get(method), looks.get(method))] as const;
  });
  return {
    upstream: `karpenter-ts ${version()}`,
    synced,
    pricePerHour: rounded(cluster.pricePerHour()),
    budgets: budgetEntries(first),
    totals: totalEntries(first),
    methods: Object.fromEntries(entries),
    ...(methods.length > 0 && { loop: await loopEntry(cluster, methods, synced, signal) }),
    ...(untilStable && synced && { fixedPoint: await fixedPointEntry(request, signal) }),
    seconds: Math.round(seconds * 1000) / 1000,
    ...(methods.length > 0 && { stays: stayReasons(first, attempts, looks) }),
    ...(provisioning && { provision: await provisioningEntry(cluster, provisioning, signal) }),
    ...(expirations && { expirations: expirationEntries(cluster) }),
  };
}

async function lookAtEach(pass: OfflinePass, methods: readonly MethodName[], signal: AbortSignal): Promise<Looks> {
  const looks = new Map<MethodName, readonly CandidateLook[]>();
  for (const method of methods) {
    if (method !== 'Drift' && method !== 'SingleNodeConsolidation') continue;
    if (pass.candidatesOf(method).eligible.length > 0) looks.set(method, await pass.lookAtEach(method, signal));
  }
  return looks;
}

async function provisioningEntry(
  cluster: OfflineCluster,
  options: PlanningOptions,
  signal: AbortSignal,
): Promise<PlanFile> {
  const started = performance.now();
  const { plan = NOTHING_PLANNED, leftOut } = await planPendingPods(cluster, options, signal);
  const file = toPlanFile(plan, Math.round(performance.now() - started) / 1000);
  const unplanned = leftOut.map(({ pod, reason }) => ({ pod: podName(pod), reason }));
  return { ...file, unschedulable: [...file.unschedulable, ...unplanned] };
}

const NOTHING_PLANNED: Plan = {
  newNodes: [],
  existingNodes: [],
  unschedulable: [],
  undecided: [],
  unusablePools: [],
  pricePerHour: 0,
};

function expirationEntries({ caches, clock, options }: OfflineCluster): readonly ExpirationEntry[] {
  const poolSettings = new PoolSettings(options);
  const expiring = caches.nodeClaims.list().flatMap((nodeClaim): ExpirationEntry[] => {
    const { name, labels = {}, deletionTimestamp } = nodeClaim.metadata;
    const nodePool = caches.nodePools.get(labels[NODEPOOL_LABEL] ?? '');
    const settings = nodePool === undefined ? UPSTREAM_DISRUPTION : poolSettings.of(nodePool);
    const at = deletionTimestamp === undefined ? expiryOf(nodeClaim, settings) : undefined;
    if (at === undefined || Number.isNaN(at)) return [];
    const node = nodeClaim.status?.nodeName;
    return [
      {
        nodeClaim: name,
        ...(node !== undefined && { node }),
        nodePool: labels[NODEPOOL_LABEL] ?? '',
        expiresAt: timestamp(at),
        expired: at <= clock.now(),
      },
    ];
  });
  return expiring.sort((a, b) => (a.expiresAt < b.expiresAt ? -1 : Number(a.expiresAt > b.expiresAt)));
}

function methodEntry(
  pass: OfflinePass,
  method: MethodName,
  attempt: Attempt | undefined,
  options: readonly CandidateLook[] | undefined,
): MethodEntry {
  const { eligible } = pass.candidatesOf(method);
  const rejection = method === 'SingleNodeConsolidation' && attempt !== undefined ? rejectionText(attempt) : undefined;
  const { blocking, reason } = pass.allowances(method);
  const poolEvents = blocking.map(
    ({ metadata }) => `${metadata.name}: No allowed disruptions for disruption reason ${reason} due to blocking budget`,
  );
  return {
    candidates: eligible.map((candidate) => ({
      node: candidate.node.metadata.name,
      nodePool: candidate.pool.nodePool.metadata.name,
      price: candidate.price,
      disruptionCost: rounded(candidate.disruptionCost),
      rescheduleDisruptionCost: rounded(candidate.rescheduleDisruptionCost),
      savingsRatio: rounded(candidate.savingsRatio),
    })),
    blocked: blockedEntries(pass, method),
    command: attempt === undefined ? null : commandEntry(attempt),
    ...(options !== undefined && { options: options.map(optionEntry) }),
    ...(rejection !== undefined && { events: { [attempt!.computed.candidates[0]!.node.metadata.name]: rejection } }),
    ...(eligible.length > 0 && poolEvents.length > 0 && { poolEvents: poolEvents.sort() }),
    stable: true,
  };
}

/** The texts about each node that a method must leave alone; a node that simply does not concern it has none. */
function blockedEntries(pass: OfflinePass, method: MethodName): Readonly<Record<string, readonly string[]>> {
  const texts = new Map<string, string[]>();
  const add = (name: string, text: string): void => {
    texts.set(name, [...(texts.get(name) ?? []), text].sort());
  };
  for (const { stateNode, why } of pass.scan[METHODS[method].class].blocked) {
    const text = renderBlock(why);
    const named = stateNode.node ?? stateNode.nodeClaim;
    if (text !== undefined && named !== undefined) add(named.metadata.name, `DisruptionBlocked: ${text}`);
  }
  for (const { candidate, why } of pass.candidatesOf(method).ineligible) {
    const text = renderIneligibility(why);
    if (text !== undefined) add(candidate.node.metadata.name, `Unconsolidatable: ${text}`);
  }
  return Object.fromEntries(texts);
}

function budgetEntries(pass: OfflinePass): ClusterDocument['budgets'] {
  const entries = new Map<DisruptionReason, Record<string, AllowanceEntry>>();
  for (const method of METHOD_NAMES) {
    const pools = [...pass.allowances(method).byPool].map(([name, { allowed, disrupting, remaining }]) => {
      return [name, { allowed, disrupting, remaining }] as const;
    });
    entries.set(METHODS[method].reason, Object.fromEntries(pools));
  }
  return Object.fromEntries(entries);
}

function totalEntries(pass: OfflinePass): ClusterDocument['totals'] {
  // Drift asks for more nodes than the others, and has no use for totals itself.
  const totals = new Map([...pass.totals('Drift'), ...pass.totals('SingleNodeConsolidation')]);
  const entries = [...totals].map(
    ([name, { cost, disruptionCost }]) =>
      [name, { cost: rounded(cost), disruptionCost: rounded(disruptionCost) }] as const,
  );
  return Object.fromEntries(entries);
}

async function loopEntry(
  cluster: OfflineCluster,
  methods: readonly MethodName[],
  synced: boolean,
  signal: AbortSignal,
): Promise<LoopEntry> {
  if (!synced) return { method: '', command: null, error: 'not synced', stable: true };
  const attempt = await runPass(cluster, methods, signal);
  if (attempt === undefined) return { method: '', command: null, stable: true };
  return { method: attempt.method, command: commandEntry(attempt), stable: true };
}

async function fixedPointEntry({ objects, methods }: ReportRequest, signal: AbortSignal): Promise<FixedPointEntry> {
  const started = performance.now();
  const walk = await walkToRest(new OfflineCluster(objects), methods, signal);
  const byMethod: Partial<Record<MethodName, number>> = {};
  const steps = walk.steps.map(({ method, decision, candidates, launched, pricePerHour }): StepEntry => {
    byMethod[method] = (byMethod[method] ?? 0) + 1;
    const bought = launched.map((one) => [one.nodePool, one.instanceType, one.zone, one.capacityType].join('/'));
    return {
      method,
      decision,
      candidates,
      ...(bought.length > 0 && { launched: bought }),
      pricePerHour: rounded(pricePerHour),
    };
  });
  const endPrice = rounded(walk.endPrice);
  return {
    settledPrice: rounded(walk.settledPrice),
    settledNodes: walk.settledNodes,
    endPrice,
    commands: walk.commands,
    byMethod,
    nodes: walk.nodes,
    pendingPods: walk.pendingPods,
    complete: walk.end === 'Complete',
    ...(walk.end === 'Cycle' && { cycle: true }),
    steps,
    endPrices: [endPrice],
    seconds: Math.round(performance.now() - started) / 1000,
  };
}
