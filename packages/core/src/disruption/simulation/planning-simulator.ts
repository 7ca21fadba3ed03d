import { compareByWeight, NODEPOOL_LABEL, readDoNotDisrupt } from '@karpenter-ts/apis';
import { isTrue, type Pod, READY } from '@karpenter-ts/kubernetes';
import type { Logger, SteadyClock } from '@karpenter-ts/runtime';
import type { ExistingNode, InstanceType, Plan, PlanningOptions, Pool, Snapshot } from '@karpenter-ts/scheduling';
import { findQuiet, waitFor } from '../../nodeclaim/disruption-conditions/consolidatable.ts';
import type { DefaultSpread } from '../../planning/default-spread.ts';
import type { PlannerDriver, SnapshotPlanner } from '../../planning/planner-driver.ts';
import { type PlanningCaches, planningSnapshot } from '../../planning/planning-snapshot.ts';
import { isProvisionable, isReschedulable } from '../../pods/predicates.ts';
import { findReschedulingBlock } from '../../pods/reschedulable-pods.ts';
import type { ClusterModel } from '../../state/cluster-model.ts';
import type { StateNode } from '../../state/state-node.ts';
import { TimeSlices } from '../../state/time-slices.ts';
import type { Candidate } from '../candidates/candidate.ts';
import type { DisruptionPool, DisruptionState } from '../view/disruption-state.ts';
import type { Simulation, SimulationError, Simulator } from './simulator.ts';

export interface SimulatorDeps {
  readonly caches: PlanningCaches;
  readonly cluster: Pick<ClusterModel, 'findDaemonPod'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Of the controller `disruption`. */
  readonly driver: PlannerDriver;
  /** As the provisioner plans. */
  readonly options: PlanningOptions;
  /** The provisioner's, so that moved pods are spread as pending ones are. */
  readonly spread?: Pick<DefaultSpread, 'apply'> | undefined;
}

/** Which nodes pods may move to. */
export type Destinations =
  /** Any node. Drift asks like this. */
  | 'All'
  /**
   * Not to nodes whose pool's `consolidateAfter` has not elapsed since their last pod event. Consolidation asks like
   * this: otherwise a node that was just filled would take pods again and never become consolidatable itself.
   */
  | 'Quiet';

/**
 * The simulators of one pass. What the planner reads from the state is built when it is first asked for and then serves
 * all simulations; there is a second version of it only if some node refuses moved pods.
 */
export class PlanningSimulators {
  readonly #parts: SimulationParts;
  readonly #all: PlanningSimulator;
  #quiet: PlanningSimulator | undefined;

  constructor(state: DisruptionState, deps: SimulatorDeps) {
    this.#parts = new SimulationParts(state, deps);
    this.#all = new PlanningSimulator(this.#parts, new Set());
  }

  for(destinations: Destinations): PlanningSimulator {
    if (destinations === 'All') return this.#all;
    this.#quiet ??= this.#createQuiet();
    return this.#quiet;
  }

  #createQuiet(): PlanningSimulator {
    const busy = findBusyNodes(this.#parts.state);
    return busy.size === 0 ? this.#all : new PlanningSimulator(this.#parts, busy);
  }
}

/** Simulates with the planner. Everything is planned from one snapshot, which is read at the first simulation. */
export class PlanningSimulator implements Simulator {
  readonly #parts: SimulationParts;
  readonly #busy: ReadonlySet<StateNode>;
  #snapshot: Snapshot | undefined;
  #planner: SnapshotPlanner | undefined;
  #slices: TimeSlices | undefined;

  /** `busy` nodes refuse moved pods. */
  constructor(parts: SimulationParts, busy: ReadonlySet<StateNode>) {
    this.#parts = parts;
    this.#busy = busy;
  }

  /** All that simulations read, apart from the candidates and their pods. */
  async snapshot(signal: AbortSignal): Promise<Snapshot> {
    this.#snapshot ??= await this.#parts.snapshot(this.#busy, this.#slicesOf(signal));
    return this.#snapshot;
  }

  /**
   * The pods of a candidate that a simulation moves. Pods that may never be evicted are not among them, because capacity
   * that waits for them would be wasted.
   */
  movedPods({ reschedulablePods }: Candidate): readonly Pod[] {
    return reschedulablePods.filter((pod) => this.#parts.isMovable(pod));
  }

  async simulate(candidates: readonly Candidate[], signal: AbortSignal): Promise<Simulation | 'CandidateIsDeleting'> {
    signal.throwIfAborted();
    if (candidates.some(({ stateNode }) => this.#parts.isDeleting(stateNode))) return 'CandidateIsDeleting';
    const slices = this.#slicesOf(signal);
    const planner = await this.#read(slices);
    const change = {
      withoutNodes: candidates.map(({ stateNode }) => stateNode.existing.providerId),
      withPods: candidates.flatMap((candidate) => this.movedPods(candidate)),
    };
    const plan = await planner.whatIf(change, { slices, logger: this.#parts.deps.logger, deadline: Infinity });
    return { plan, errors: this.#parts.findErrors(plan) };
  }

  async #read(slices: TimeSlices): Promise<SnapshotPlanner> {
    if (this.#planner !== undefined) return this.#planner;
    await slices.pause(); // the caller may have just ordered thousands of candidates
    const snapshot = await this.snapshot(slices.signal);
    const { driver, options } = this.#parts.deps;
    if (slices.isOver) await slices.pause();
    this.#planner ??= await driver.read({ snapshot, options: simulationOptions(options) }, slices);
    return this.#planner;
  }

  /** Simulations share their slices as long as the caller hands in the same signal: most take a fraction of a slice. */
  #slicesOf(signal: AbortSignal): TimeSlices {
    if (this.#slices?.signal !== signal) this.#slices = new TimeSlices(this.#parts.deps.clock, signal);
    return this.#slices;
  }
}

/** What the simulators of a pass have in common. */
class SimulationParts {
  readonly state: DisruptionState;
  readonly deps: SimulatorDeps;
  readonly #deleting: ReadonlySet<string>;
  readonly #displaced: ReadonlySet<Pod>;
  /** By name. Others may have the name too, and then count as not initialized, because plans name nodes only. */
  readonly #uninitialized: ReadonlyMap<string, StateNode>;

  constructor(state: DisruptionState, deps: SimulatorDeps) {
    const { active, deleting } = state.stateNodes;
    this.state = state;
    this.deps = deps;
    this.#deleting = new Set(deleting.map(({ providerId }) => providerId));
    const onDeleting = deleting.flatMap(({ node }) => (node === undefined ? [] : state.podsOn(node.metadata.name)));
    this.#displaced = new Set(onDeleting.filter((pod) => isReschedulable(pod) && this.isMovable(pod)));
    const uninitialized = active.filter(({ existing }) => !existing.initialized);
    this.#uninitialized = new Map(uninitialized.map((stateNode) => [stateNode.existing.name, stateNode]));
  }

  isDeleting({ providerId }: StateNode): boolean {
    return this.#deleting.has(providerId);
  }

  /** Whether a reschedulable pod may be evicted sooner or later. */
  isMovable(pod: Pod): boolean {
    const { now, podDisruptionBudgets } = this.state;
    return findReschedulingBlock(pod, readDoNotDisrupt(pod, now), podDisruptionBudgets) === undefined;
  }

  async snapshot(busy: ReadonlySet<StateNode>, slices: TimeSlices): Promise<Snapshot> {
    const { state, deps } = this;
    const pods = [...state.pendingPods, ...this.#displaced];
    const input = { stateNodes: state.stateNodes, pools: poolsToBuyFrom(state.pools.values()), pods };
    const snapshot = planningSnapshot(input, deps.caches, deps.cluster);
    const { active } = state.stateNodes;
    const nodes = snapshot.nodes.map((node, i) => (busy.has(active[i]!) ? { ...node, refusesMovedPods: true } : node));
    return this.#withSpread({ ...snapshot, nodes }, slices);
  }

  /** Pods that stay count only as what others are spread over, so it does no harm that these are given a spread as well. */
  async #withSpread(snapshot: Snapshot, slices: TimeSlices): Promise<Snapshot> {
    const { spread } = this.deps;
    if (spread === undefined) return snapshot;
    const nodes: ExistingNode[] = [];
    for (const node of snapshot.nodes) {
      const pods = await spread.apply(node.pods, slices);
      nodes.push(pods === node.pods ? node : { ...node, pods });
    }
    return { ...snapshot, nodes, pods: await spread.apply(snapshot.pods, slices) };
  }

  /** Pods without a place, and pods with an uncertain one. Those that were pending before are nobody's problem here. */
  findErrors({ unschedulable, existingNodes }: Plan): readonly SimulationError[] {
    const errors: SimulationError[] = [];
    for (const { pod, failure } of unschedulable) {
      if (!isProvisionable(pod)) errors.push({ pod, kind: 'Unschedulable', failure });
    }
    if (this.#uninitialized.size === 0) return errors;
    for (const { node, pods } of existingNodes) {
      const stateNode = this.#uninitialized.get(node);
      if (stateNode === undefined) continue;
      for (const { pod } of pods) {
        // A node is on its way for displaced pods. If it never comes, the next pass plans without it.
        const isExpected = this.#displaced.has(pod) || isProvisionable(pod);
        if (!isExpected) errors.push({ pod, kind: 'UninitializedNode', stateNode });
      }
    }
    return errors;
  }
}

function simulationOptions(options: PlanningOptions): PlanningOptions {
  const { reservedCapacity } = options;
  return { ...options, reservedCapacity: reservedCapacity === 'Off' ? 'Off' : 'Fallback', packing: undefined };
}

/**
 * The pools that nodes can be bought from now. If there is none, pods can still move to nodes that exist; upstream fails
 * then. The planner refuses all pods without any pool, so it is given pools that offer nothing.
 */
function poolsToBuyFrom(pools: Iterable<DisruptionPool>): readonly Pool[] {
  const dynamic = [...pools].filter(({ nodePool }) => nodePool.spec.replicas === undefined);
  dynamic.sort((a, b) => compareByWeight(a.nodePool, b.nodePool));
  const usable = dynamic.filter(isUsable);
  if (usable.length === 0) return dynamic.map(({ nodePool }) => ({ nodePool, instanceTypes: NO_TYPES }));
  return usable.map(({ nodePool, offered }) => ({ nodePool, instanceTypes: offered }));
}

/** Always the same array, so that it is indexed once. */
const NO_TYPES: readonly InstanceType[] = [];

function isUsable({ nodePool }: DisruptionPool): boolean {
  return isTrue(nodePool, READY) && nodePool.metadata.deletionTimestamp === undefined;
}

/** The nodes that pods should not be moved to, because pods have come or gone there not long ago (spec 04 §7). */
function findBusyNodes({ stateNodes, pools, now }: DisruptionState): ReadonlySet<StateNode> {
  const waits = new Map<string, number>();
  for (const [name, pool] of pools) {
    const wait = waitFor('underutilized', pool.nodePool, pool.settings);
    const isWaitedFor = wait !== 'Never' && wait > 0 && pool.nodePool.spec.replicas === undefined && isUsable(pool);
    if (isWaitedFor) waits.set(name, wait);
  }
  const busy = new Set<StateNode>();
  if (waits.size === 0) return busy;
  for (const stateNode of stateNodes.active) {
    const wait = waits.get(stateNode.existing.labels[NODEPOOL_LABEL] ?? '');
    if (stateNode.nodeClaim === undefined || wait === undefined) continue;
    if (findQuiet(stateNode.nodeClaim, wait, now).kind === 'Busy') busy.add(stateNode);
  }
  return busy;
}
