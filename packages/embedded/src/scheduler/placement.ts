import { type Filter, type NodeCheck, type Rejection, rejection } from './filters/filter.ts';
import { type FitFailure, FitReport, NO_NODES } from './fit-failure.ts';
import type { NodeEntry } from './model/node-entry.ts';
import type { PodClass } from './model/pod-class.ts';
import type { Snapshot } from './model/snapshot.ts';
import type { Nominations } from './nominations.ts';
import type { PendingPod } from './pending-pod.ts';
import { bestOf, type Score } from './scores/score.ts';

/** A pod's way to a node, or why there is none. */
export type Placement =
  | { readonly kind: 'node'; readonly node: NodeEntry }
  | { readonly kind: 'none'; readonly failure: FitFailure };

/**
 * Enough nodes to choose the best from: what kube-scheduler looks for at least. Looking at all of 2,000 would cost ten
 * times the rest of a decision. A pod is unschedulable only when every node has said no.
 */
const ENOUGH_NODES = 100;

/** What to ask of each node, in order, and which nodes alone are meant, if a filter names them. */
interface Plan {
  readonly steps: readonly { readonly filter: Filter; readonly check: NodeCheck }[];
  readonly named: { readonly nodes: ReadonlySet<string>; readonly by: Filter } | undefined;
}

interface Fault {
  readonly filter: Filter;
  readonly rejection: Rejection;
}

export interface PlacerDeps {
  readonly snapshot: Snapshot;
  readonly nominations: Nominations;
  readonly filters: readonly Filter[];
  readonly scores: readonly Score[];
}

/** Decides where pods go, and leaves everything as it is: to place them is up to the caller. */
export class Placer {
  readonly #deps: PlacerDeps;
  /** Where the last search ended. The next one goes on from there, so that all nodes get their turn. */
  #start = 0;
  /** Classes that fit nowhere, with the state of the cluster in which that was found. */
  readonly #failures = new WeakMap<PodClass, { readonly generation: number; readonly failure: FitFailure }>();

  constructor(deps: PlacerDeps) {
    this.#deps = deps;
  }

  /** The best node, or the one promised to the pod. Pods of its priority or above count where they are promised. */
  place(pending: PendingPod): Placement {
    const { snapshot, nominations } = this.#deps;
    const { pod } = pending;
    const { generation } = snapshot;
    if (snapshot.nodes.length === 0) return { kind: 'none', failure: NO_NODES };
    if (!nominations.isEmpty) return this.#search(pending); // pods of one class may differ in priority
    const known = this.#failures.get(pod);
    if (known?.generation === generation) return { kind: 'none', failure: known.failure };
    const placement = this.#search(pending);
    if (placement.kind === 'none') this.#failures.set(pod, { generation, failure: placement.failure });
    return placement;
  }

  /** Whether nothing about this node alone keeps the pod away, as far as these filters go. Other nodes and pods may. */
  mayTake(node: NodeEntry, pod: PodClass, filters: Iterable<Filter>): boolean {
    const { snapshot } = this.#deps;
    for (const filter of filters) {
      if (filter.scope !== 'node') continue;
      const prepared = filter.prepare(pod, snapshot);
      if (prepared.kind === 'rejected') return false;
      if (prepared.kind === 'check' && prepared.check(node) !== undefined) return false;
    }
    return true;
  }

  #search(pending: PendingPod): Placement {
    const { pod, nominatedNode } = pending;
    const { snapshot, scores } = this.#deps;
    const report = new FitReport();
    const plan = this.#prepare(pod, report);
    if (plan !== undefined) {
      const promised = nominatedNode === undefined ? undefined : snapshot.findNode(nominatedNode);
      if (promised !== undefined && this.#findFault(promised, plan, pending) === undefined) {
        return { kind: 'node', node: promised };
      }
      const feasible = this.#findFeasible(plan, pending, report);
      if (feasible.length > 0) return { kind: 'node', node: bestOf(pod, feasible, scores, snapshot) };
    }
    return { kind: 'none', failure: report.close(snapshot.nodes.length, pod.mayPreempt) };
  }

  /** Undefined, and reported, if the pod can go nowhere whatever the nodes. */
  #prepare(pod: PodClass, report?: FitReport): Plan | undefined {
    const { filters, snapshot } = this.#deps;
    const steps: Plan['steps'][number][] = [];
    let named: Plan['named'];
    for (const filter of filters) {
      const prepared = filter.prepare(pod, snapshot);
      if (prepared.kind === 'rejected') {
        report?.rejectEverywhere(filter, prepared.reason);
        return undefined;
      }
      if (prepared.kind === 'nothing to check') continue;
      steps.push({ filter, check: prepared.check });
      if (prepared.onlyNodes !== undefined) named = { nodes: prepared.onlyNodes, by: filter };
    }
    return { steps, named };
  }

  /** Nodes that can take the pod, up to `ENOUGH_NODES`; why the others cannot goes into the report. */
  #findFeasible(plan: Plan, pending: PendingPod, report: FitReport): readonly NodeEntry[] {
    const nodes = this.#candidates(plan, report);
    const feasible: NodeEntry[] = [];
    let seen = 0;
    for (; seen < nodes.length && feasible.length < ENOUGH_NODES; seen++) {
      const node = nodes[(this.#start + seen) % nodes.length]!;
      const fault = this.#findFault(node, plan, pending);
      if (fault === undefined) feasible.push(node);
      else report.reject(fault.filter, fault.rejection);
    }
    if (plan.named === undefined) this.#start = (this.#start + seen) % nodes.length;
    return feasible;
  }

  #candidates({ named }: Plan, report: FitReport): readonly NodeEntry[] {
    const { snapshot } = this.#deps;
    if (named === undefined) return snapshot.nodes;
    const found = [...named.nodes].map((name) => snapshot.findNode(name)).filter((node) => node !== undefined);
    const unnamed = rejection(`node(s) didn't satisfy plugin(s) [${named.by.name}]`, false);
    if (found.length < snapshot.nodes.length) report.reject(named.by, unnamed, snapshot.nodes.length - found.length);
    return found;
  }

  /** Why the node cannot take the pod, beside those it is promised to and without them. */
  #findFault(node: NodeEntry, plan: Plan, pending: PendingPod): Fault | undefined {
    const { snapshot, nominations } = this.#deps;
    if (nominations.isEmpty) return firstFault(node, plan);
    const ahead = nominations.aheadOf(pending, node.name).filter(({ key }) => snapshot.findPlaced(key) === undefined);
    if (ahead.length === 0) return firstFault(node, plan);
    for (const { key, pod } of ahead) snapshot.place(key, pod, node.name, false);
    const crowded = this.#prepare(pending.pod);
    const fault = crowded === undefined ? undefined : firstFault(node, crowded);
    for (const { key } of ahead) snapshot.remove(key);
    return fault ?? firstFault(node, plan);
  }
}

function firstFault(node: NodeEntry, { steps }: Plan): Fault | undefined {
  for (let i = 0; i < steps.length; i++) {
    const found = steps[i]!.check(node);
    if (found !== undefined) return { filter: steps[i]!.filter, rejection: found };
  }
  return undefined;
}
