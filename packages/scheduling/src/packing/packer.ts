import type { Reservations } from '../checks/reservations.ts';
import type { TaintTable } from '../model/pods/taints.ts';
import type { ClusterNode } from '../model/nodes/cluster-nodes.ts';
import type { RequirementSets } from '../model/requirements/requirement-set.ts';
import type { ResourceTable } from '../model/resources/resource-table.ts';
import type { PlanningOptions } from '../snapshot.ts';
import type { Restriction } from '../topology/restriction.ts';
import type { BindingRule, Placement, Topology } from '../topology/topology.ts';
import { Acceptance, type Accepted } from './new-nodes/acceptance.ts';
import type { Demand, Demands } from './demand.ts';
import type { ExistingNodes } from './existing-nodes/existing-nodes.ts';
import { NewNodes, type TemplateWithLimits } from './new-nodes/new-nodes.ts';
import type { NodeTemplate } from './new-nodes/node-template.ts';
import { InFlightNode, type Placed } from './new-nodes/in-flight-node.ts';
import { InFlightNodes } from './new-nodes/in-flight-nodes.ts';
import type { PodClass } from '../model/pods/pod-class.ts';
import type { Stage } from '../model/pods/constraints.ts';
import type { QueuedPod } from './queued-pod.ts';
import type { RawFailure, RunEvent } from './raw-refusal.ts';
import { addPod, type AddPodDeps } from './new-nodes/add-pod.ts';

export interface PackerDeps {
  readonly sets: RequirementSets;
  readonly taints: TaintTable;
  readonly resources: ResourceTable;
  readonly demands: Demands;
  readonly topology: Topology;
  readonly reservations: Reservations;
  readonly existing: ExistingNodes;
  readonly pools: readonly TemplateWithLimits[];
  /** Whether tolerating PreferNoSchedule can help: some pool has such a taint. */
  readonly hasPreferNoSchedule: boolean;
  readonly options: PlanningOptions;
}

/** A placement as it was made: on an existing node, as topology counted it, or on a planned one. */
export interface HistoryEntry extends Placed {
  readonly on: Placement | InFlightNode;
}

interface Attempt {
  readonly stage: Stage;
  readonly demand: Demand;
  readonly binding: readonly BindingRule[];
}

/** Places pods one after the other: on existing nodes, then planned ones, then new ones (spec 02 §8.3). */
export class Packer {
  readonly inFlight: InFlightNodes;
  readonly placedOn = new Map<ClusterNode, Placed[]>();
  /** All placements in the order they were made. */
  readonly history: HistoryEntry[] = [];
  readonly #deps: PackerDeps;
  readonly #acceptance: Acceptance;
  readonly #addPodDeps: AddPodDeps;
  readonly #newNodes: NewNodes;
  readonly #attempts = new Map<PodClass, Attempt[]>();
  readonly #failures = new Map<PodClass | QueuedPod, RawFailure>();
  #nodeEvents: readonly RunEvent[] = [];

  constructor(deps: PackerDeps) {
    this.#deps = deps;
    this.inFlight = new InFlightNodes(deps.sets);
    this.#acceptance = new Acceptance({ ...deps, reservedCapacity: deps.options.reservedCapacity });
    const { reservations, topology } = deps;
    this.#addPodDeps = { reservations, topology };
    this.#newNodes = new NewNodes(deps.pools, this.#acceptance, {
      minValues: deps.options.minValuesPolicy === 'BestEffort' ? 'Lower' : 'Keep',
      width: deps.resources.names.length,
    });
  }

  /**
   * Makes a class and the rules of its first stage known. It must be called for every class before the first pod is placed.
   * False if the class was known.
   */
  announce(podClass: PodClass): boolean {
    if (this.#attempts.has(podClass)) return false;
    this.#deps.topology.announce(podClass.kind);
    this.#attempts.set(podClass, []);
    this.#attempt(podClass, 0);
    return true;
  }

  /** All classes that were announced. */
  get classes(): readonly PodClass[] {
    return [...this.#attempts.keys()];
  }

  /** What the last placement, which was of this pod, changed for other pods. */
  eventsOf({ podClass: { kind } }: QueuedPod): readonly RunEvent[] {
    return [...this.#deps.topology.groupsChangedBy(kind), ...this.#nodeEvents];
  }

  /** Places a pod, or finds out that it cannot be and changes nothing. */
  place(queued: QueuedPod): boolean {
    this.#nodeEvents = [];
    const raw = this.#tryStages(queued);
    if (raw !== undefined) this.#failures.set(this.kindOf(queued), raw);
    return raw === undefined;
  }

  /** Equal for pods that get the same answer: their class, or the pod itself where its volumes may matter. */
  kindOf(queued: QueuedPod): PodClass | QueuedPod {
    return queued.volumeClaims.length > 0 && this.#deps.existing.limitsVolumes ? queued : queued.podClass;
  }

  /** Why pods of a kind could not be placed, when one of them was last tried. */
  failureOf(kind: PodClass | QueuedPod): RawFailure {
    return this.#failures.get(kind)!;
  }

  #tryStages(queued: QueuedPod): RawFailure | undefined {
    const { podClass } = queued;
    let failure: RawFailure | undefined;
    let waitsFor: readonly RunEvent[] | undefined = [];
    const { stages } = podClass.kind.constraints;
    for (let i = 0; i < stages.length; i++) {
      if (i > 0 && !this.#canHelp(stages[i]!)) continue;
      if (stages[i]!.contradictions.length > 0) continue; // pods of which every stage is so are not tried at all
      const attempt = this.#attempt(podClass, i);
      const refused = this.#try(queued, attempt);
      if (refused === undefined) return undefined;
      if (failure === undefined || !stages[i]!.isRevisit) failure = refused; // told as upstream tells it
      if (refused.waitsFor === undefined) waitsFor = undefined;
      else waitsFor &&= [...waitsFor, ...refused.waitsFor];
      if (refused.refusals.some(({ refusal }) => refusal.why === 'Reservation')) break;
    }
    return failure && { ...failure, waitsFor };
  }

  #canHelp({ relaxations }: Stage): boolean {
    return relaxations.at(-1)!.gaveUp !== 'PreferNoSchedule' || this.#deps.hasPreferNoSchedule;
  }

  #attempt(podClass: PodClass, i: number): Attempt {
    const attempts = this.#attempts.get(podClass)!;
    const stage = podClass.kind.constraints.stages[i]!;
    attempts[i] ??= {
      stage,
      demand: this.#deps.demands.of(podClass, stage),
      binding: this.#deps.topology.bindingRules(podClass.kind, stage),
    };
    return attempts[i];
  }

  #try(queued: QueuedPod, { stage, demand, binding }: Attempt): RawFailure | undefined {
    const { topology, existing } = this.#deps;
    const { podClass } = queued;
    const restriction = topology.restriction(podClass.kind, stage, binding);
    const onExisting = existing.place(queued, demand, restriction);
    if (onExisting !== undefined) {
      const placed = this.placedOn.get(onExisting.node);
      if (placed === undefined) this.placedOn.set(onExisting.node, [{ queued, stage }]);
      else placed.push({ queued, stage });
      topology.record(podClass.kind, onExisting);
      this.history.push({ queued, stage, on: onExisting });
      return undefined;
    }
    const inFlight = this.inFlight.find(demand, restriction, this.#acceptance);
    if (inFlight !== undefined) {
      this.#join(inFlight.node, { queued, stage }, demand, inFlight.accepted);
      return undefined;
    }
    const opening = this.#newNodes.find(demand, restriction, this.inFlight.nodes.length);
    if ('refusals' in opening) {
      const waitsFor = this.#waitsFor(podClass, { stage, demand, binding }, restriction, opening);
      return { podClass, stage, binding, refusals: opening.refusals, waitsFor };
    }
    this.#open(opening.template, { queued, stage }, demand, opening.accepted);
    return undefined;
  }

  /**
   * Nodes only fill up and narrow down, and pools only use up their limits. So apart from a reservation that is given back,
   * three things can help a pod: a rule counts otherwise, a node gets a label, or a pool opens a new node.
   */
  #waitsFor(
    { kind }: PodClass,
    { stage, binding }: Attempt,
    { isUnsatisfiable }: Restriction,
    { areForGood }: { readonly areForGood: boolean },
  ): readonly RunEvent[] | undefined {
    const { topology, reservations } = this.#deps;
    if (isUnsatisfiable) return topology.obstacles(kind, stage, binding);
    if (!reservations.isEmpty) return undefined;
    const groups = topology.allRules(kind, binding).map(({ group }) => group);
    return areForGood ? [...groups, 'NodeLabelled'] : [...groups, 'NodeLabelled', 'NodeOpened'];
  }

  #join(node: InFlightNode, placed: Placed, demand: Demand, accepted: Accepted): void {
    const { set } = accepted;
    const isNarrowed = set !== node.set;
    if (set.ids.length > node.set.ids.length) this.#nodeEvents = ['NodeLabelled'];
    this.#addPod(node, placed, demand, accepted);
    this.inFlight.update(node, isNarrowed);
  }

  #open(template: NodeTemplate, placed: Placed, demand: Demand, accepted: Accepted): void {
    const node = new InFlightNode(this.inFlight.nodes.length, template, this.#deps.resources.names.length);
    node.minValuesRelaxed = accepted.minValuesLowered;
    this.#addPod(node, placed, demand, accepted);
    this.inFlight.add(node);
    this.#nodeEvents = ['NodeOpened'];
    this.#newNodes.count(template, node.variants);
  }

  #addPod(node: InFlightNode, placed: Placed, demand: Demand, accepted: Accepted): void {
    addPod(this.#addPodDeps, node, placed, demand, accepted);
    this.history.push({ queued: placed.queued, stage: placed.stage, on: node });
  }
}
