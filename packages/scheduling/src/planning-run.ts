import { chooseCheaper } from './cost/cost-aware.ts';
import { FailureWriter } from './explanation/failure.ts';
import type { Failure } from './failure.ts';
import { TypeLists } from './model/instance-types/type-list.ts';
import type { Pod } from '@karpenter-ts/kubernetes';
import { ExistingNodes } from './packing/existing-nodes/existing-nodes.ts';
import { finishNode, toPlacedPod } from './packing/new-nodes/finished-node.ts';
import { Packer } from './packing/packer.ts';
import type { PodClass } from './model/pods/pod-class.ts';
import { PodQueue } from './packing/pod-queue.ts';
import { compareQueued, type QueuedPod } from './packing/queued-pod.ts';
import { sortStepwise } from './packing/stepwise-sort.ts';
import type { NodePlacement, Plan, PlannedNode, UnschedulablePod } from './plan.ts';
import { type PlanRun, type Progress, type Reading, unlessStopped } from './progress.ts';
import { type RunState, isUnusable, initialStateOf, type PlanScope, topologyOf } from './packing/plan-scope.ts';
import type { Pool } from './snapshot.ts';
import type { IndexedSnapshot } from './packing/indexed-snapshot.ts';
import { effectiveZone } from './topology/effective-zone.ts';

/** How many pods are counted, or nodes finished, between two chances to pause: a few milliseconds of work at the most. */
const STEP = 8;

/** Plans the pods of a scope. */
export function* runPlan(index: IndexedSnapshot, scope: PlanScope): PlanRun {
  const run = yield* unlessStopped(prepareRun(index, scope));
  if (run === undefined) return undecidedPlan(scope.pods.map(({ pod }) => pod));
  for (let queued = run.next(); queued !== undefined; queued = run.next()) {
    if ((yield placing(run.waiting)) === 'stop') return yield* run.outcome();
    run.place(queued);
  }
  const plan = yield* run.outcome();
  const { packing } = scope;
  return packing === undefined ? plan : yield* chooseCheaper({ index, scope, packing, plan, ...run.record });
}

function* prepareRun(index: IndexedSnapshot, scope: PlanScope): Reading<PlanningRun> {
  const obstacles = new Map<QueuedPod, Failure>();
  const open: QueuedPod[] = [];
  for (const queued of scope.pods) {
    const failure = findObstacle(queued, index, scope);
    if (failure === undefined) open.push(queued);
    else obstacles.set(queued, failure);
  }
  const sorting = sortStepwise(open, compareQueued);
  let sorted = sorting.next();
  for (; !sorted.done; sorted = sorting.next()) yield placing(scope.pods.length);
  for (const pool of scope.pools) {
    yield placing(scope.pods.length);
    index.pools.templatesOf([pool]); // worked out once, here, where there is time
  }
  const run = new PlanningRun(index, scope, { pods: sorted.value, obstacles });
  for (const { podClass } of sorted.value) if (run.announce(podClass)) yield placing(run.waiting);
  return run;
}

/** How many pending pods could go to which zone, before any is placed (spec 02 §25.3). */
export function* countByZone(index: IndexedSnapshot, scope: PlanScope): Reading<ReadonlyMap<string, number>> {
  const topology = topologyOf(index, scope);
  const { sets, domains } = index.internTables;
  const counts = new Map<string, number>();
  const zones = new Map<PodClass, string>(); // all of a class could go to the same
  for (const [i, { podClass }] of scope.pods.entries()) {
    if (i % STEP === 0) yield { phase: 'reading', waiting: scope.pods.length };
    topology.announce(podClass.kind);
  }
  for (const [i, { pod, podClass }] of scope.pods.entries()) {
    if (i % STEP === 0) yield { phase: 'reading', waiting: scope.pods.length };
    if (pod.status?.phase !== 'Pending') continue;
    let zone = zones.get(podClass);
    if (zone === undefined) {
      const stage = podClass.kind.constraints.stages[0]!;
      zone = effectiveZone(podClass.shape, stage, topology.bindingRules(podClass.kind, stage), { sets, domains });
      zones.set(podClass, zone);
    }
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return counts;
}

/** Nothing was looked at. */
export function undecidedPlan(pods: readonly Pod[]): Plan {
  return { newNodes: [], existingNodes: [], unschedulable: [], undecided: pods, unusablePools: [], pricePerHour: 0 };
}

/** What keeps a pod from being tried at all. */
function findObstacle(
  { podClass: { shape } }: QueuedPod,
  { options }: IndexedSnapshot,
  { pools }: PlanScope,
): Failure | undefined {
  if (pools.length === 0) return { why: 'NoPools' };
  const { stages } = shape.constraints;
  if (stages.every(({ contradictions }) => contradictions.length > 0)) {
    return { why: 'Contradiction', problems: stages.findLast(({ isRevisit }) => !isRevisit)!.contradictions };
  }
  if (shape.usesDynamicResources && options.ignoreDraRequests) return { why: 'DynamicResources' };
  // Placed without knowing where its volumes are, it might never start (spec 02, remark 21).
  if (shape.volumeNeeds.kind === 'missing') return { why: 'VolumeLookup', missing: shape.volumeNeeds.missing };
  return undefined;
}

/** The pods of a run: those to place in their order, and those that cannot be. */
interface RunPods {
  readonly pods: readonly QueuedPod[];
  readonly obstacles: ReadonlyMap<QueuedPod, Failure>;
}

/** One run of the planner: its queue, and what it has placed so far. */
class PlanningRun {
  readonly #index: IndexedSnapshot;
  readonly #obstacles: ReadonlyMap<QueuedPod, Failure>;
  readonly #queue: PodQueue;
  readonly #state: RunState;
  readonly #packer: Packer;

  constructor(index: IndexedSnapshot, scope: PlanScope, { pods, obstacles }: RunPods) {
    const { options, resources, demands, internTables, remainingCapacity } = index;
    const { domainCounts } = index.topology;
    const { sets, taints } = internTables;
    const { pools, removedNodes } = scope;
    this.#index = index;
    this.#obstacles = obstacles;
    this.#state = initialStateOf(index, scope);
    this.#packer = new Packer({
      sets,
      taints,
      resources,
      demands,
      ...this.#state,
      existing: new ExistingNodes(
        remainingCapacity,
        domainCounts,
        sets,
        removedNodes.map((node) => node.index),
      ),
      hasPreferNoSchedule: pools.some(hasPreferNoSchedule),
      options,
    });
    this.#queue = new PodQueue(pods, (queued) => this.#packer.kindOf(queued));
  }

  /** How many pods wait for a place. */
  get waiting(): number {
    return this.#queue.length;
  }

  /** To be called for every class before the first pod is placed. False if it was before. */
  announce(podClass: PodClass): boolean {
    return this.#packer.announce(podClass);
  }

  /** The next pod that is worth trying. */
  next(): QueuedPod | undefined {
    return this.#queue.next();
  }

  /** Tries it. */
  place(queued: QueuedPod): void {
    if (this.#packer.place(queued)) {
      this.#queue.place();
      if (this.#queue.isAwaiting) for (const event of this.#packer.eventsOf(queued)) this.#queue.happened(event);
    } else {
      this.#queue.refuse(this.#packer.failureOf(this.#packer.kindOf(queued)).waitsFor);
    }
  }

  /** The placements of the run, from which a cheaper plan is derived. */
  get record() {
    const { classes, history, inFlight } = this.#packer;
    return { classes, history, nodes: inFlight.nodes, topology: this.#state.topology };
  }

  *outcome(): PlanRun {
    const { nodes } = this.#packer.inFlight;
    const { internTables, options, resources } = this.#index;
    const { sets, taints } = internTables;
    const newNodes: PlannedNode[] = [];
    const unschedulable: UnschedulablePod[] = [...this.#obstacles].map(([{ pod }, failure]) => ({ pod, failure }));
    const tables = { sets, resources, options, typeLists: new TypeLists(options.maxInstanceTypes) };
    for (const node of nodes) {
      if (node.index % STEP === 0) yield placing(this.waiting);
      const finished = finishNode(node, tables);
      if (!('shortOf' in finished)) {
        newNodes.push(finished);
        continue;
      }
      const failure: Failure = { why: 'Truncated', nodePool: node.template.nodePool, shortOf: finished.shortOf };
      for (const { queued } of node.pods) unschedulable.push({ pod: queued.pod, failure });
    }
    const writer = new FailureWriter({
      sets,
      taints,
      topology: this.#state.topology,
      profile: options.profile,
      planned: nodes.length,
    });
    for (const queued of this.#queue.refused()) {
      const raw = this.#packer.failureOf(this.#packer.kindOf(queued));
      if (!writer.knows(raw)) yield placing(this.waiting);
      unschedulable.push({ pod: queued.pod, failure: writer.write(raw) });
    }
    return {
      newNodes,
      existingNodes: this.#placements(),
      unschedulable,
      undecided: this.#queue.untried().map(({ pod }) => pod),
      unusablePools: this.#state.templates.map(({ template }) => template).filter(isUnusable),
      pricePerHour: newNodes.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0),
    };
  }

  #placements(): readonly NodePlacement[] {
    return [...this.#packer.placedOn]
      .sort(([a], [b]) => a.index - b.index)
      .map(([node, pods]) => ({ node: node.source.name, pods: pods.map(toPlacedPod) }));
  }
}

function placing(waiting: number): Progress {
  return { phase: 'placing', waiting };
}

function hasPreferNoSchedule({ nodePool }: Pool): boolean {
  return nodePool.spec.template.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule') === true;
}
