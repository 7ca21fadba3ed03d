import { isTrue } from '@karpenter-ts/kubernetes';
import { NODE_POOLS, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { type EventDraft, LoggedRef, type Logger, MINUTE, nameList, subjectOf } from '@karpenter-ts/runtime';
import {
  awaitsReservation,
  type Failure,
  type NodePlacement,
  type PackingDecision,
  type PlacedPod,
  type Plan,
  type PlanCost,
  podName,
  renderFailure,
  renderRelaxation,
  renderShortage,
  roundPrice,
} from '@karpenter-ts/scheduling';

import type { ClusterModel } from '../state/cluster-model.ts';
import type { StateNode } from '../state/state-node.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { failedScheduling, nominated } from '../pods/scheduling-events.ts';
import type { TimeSlices } from '../state/time-slices.ts';

export type OutcomeDeps = Pick<ControllerDeps, 'caches' | 'events'> & { readonly cluster: ClusterModel };

/** A plan, and the state nodes it was made for. */
export interface Outcome {
  readonly plan: Plan;
  readonly stateNodes: readonly StateNode[];
}

/**
 * Records a plan: decisions about its pods, events and log lines, and nominations, which keep nodes from being
 * disrupted while pods are on their way (spec 02 §§24, 25). The NodeClaims are created elsewhere.
 */
export class OutcomeRecorder {
  readonly #deps: OutcomeDeps;
  readonly #outcome: Outcome;
  readonly #logger: Logger;
  readonly #texts = new Map<Failure, string>(); // equal pods share one failure
  readonly #health = new Map<string, boolean>(); // by NodePool

  constructor(deps: OutcomeDeps, outcome: Outcome, logger: Logger) {
    this.#deps = deps;
    this.#outcome = outcome;
    this.#logger = logger;
  }

  /** Records the plan, in time slices. */
  async record(slices: TimeSlices): Promise<void> {
    const { plan, stateNodes } = this.#outcome;
    this.#reportPools();
    await this.#recordFailures(slices);
    const byName = new Map(stateNodes.map((stateNode) => [stateNode.existing.name, stateNode]));
    for (const placement of plan.existingNodes) {
      if (slices.isOver) await slices.pause();
      this.#nominate(placement, byName.get(placement.node)!);
    }
    for (const { nodePool, pods } of plan.newNodes) {
      if (slices.isOver) await slices.pause();
      this.#recordPlaces(pods, nodePool);
    }
    reportCounts(plan, this.#logger);
    if (plan.packing !== undefined) reportPacking(plan.packing, this.#logger);
  }

  #reportPools(): void {
    const { caches, events } = this.#deps;
    for (const { nodePool: name, minValuesUnmet, shortOf } of this.#outcome.plan.unusablePools) {
      this.#logger.info('skipping, nodepool requirements filtered out all instance types', {
        NodePool: new LoggedRef({ name }),
        ...(minValuesUnmet && { minValuesIncompatibleErr: renderShortage(shortOf) }),
      });
      const nodePool = caches.nodePools.get(name);
      if (nodePool !== undefined) events.publish(noCompatibleInstanceTypes(nodePool, minValuesUnmet));
    }
  }

  async #recordFailures(slices: TimeSlices): Promise<void> {
    for (const { pod, failure } of this.#outcome.plan.unschedulable) {
      if (slices.isOver) await slices.pause();
      const text = this.#textOf(failure);
      this.#deps.cluster.decisions.fail(pod, failure);
      if (awaitsReservation(failure)) continue; // it only waits for reserved capacity
      const fields = { Pod: new LoggedRef(pod.metadata) };
      if (failure.why === 'DynamicResources') this.#logger.info(NO_DYNAMIC_RESOURCES, fields);
      else this.#logger.error('could not schedule pod', text, fields);
      this.#deps.events.publish(failedScheduling(pod, text));
    }
  }

  /** Nominates a node for the pods planned onto it. */
  #nominate({ pods }: NodePlacement, { providerId, existing, node, nodeClaim }: StateNode): void {
    const { cluster, events } = this.#deps;
    this.#recordPlaces(pods, existing.labels[NODEPOOL_LABEL] ?? '');
    cluster.nominate(providerId);
    const place = {
      ...(nodeClaim && { nodeClaim: nodeClaim.metadata.name }),
      ...(node && { node: node.metadata.name }),
    };
    for (const { pod } of pods) {
      if (nodeClaim !== undefined) cluster.decisions.expectOn(pod, nodeClaim.metadata.name);
      events.publish(nominated(pod, place));
    }
  }

  #recordPlaces(pods: readonly PlacedPod[], nodePool: string): void {
    const isHealthy = this.#registers(nodePool);
    for (const { pod, relaxations } of pods) {
      for (const relaxation of relaxations) {
        const reason = renderRelaxation(relaxation);
        this.#logger.debug(RELAXED, { Pod: new LoggedRef(pod.metadata), reason });
      }
      // A bound pod is not waiting.
      if (!pod.spec.nodeName) this.#deps.cluster.decisions.place(pod, isHealthy);
    }
  }

  /** Whether nodes of the NodePool register; false for '' (no NodePool). */
  #registers(nodePool: string): boolean {
    let isHealthy = this.#health.get(nodePool);
    if (isHealthy === undefined) {
      const found = this.#deps.caches.nodePools.get(nodePool);
      isHealthy = found !== undefined && isTrue(found, 'NodeRegistrationHealthy');
      this.#health.set(nodePool, isHealthy);
    }
    return isHealthy;
  }

  #textOf(failure: Failure): string {
    let text = this.#texts.get(failure);
    if (text === undefined) {
      text = renderFailure(failure);
      this.#texts.set(failure, text);
    }
    return text;
  }
}

const NO_DYNAMIC_RESOURCES =
  'skipping pod with Dynamic Resource Allocation requirements, not yet supported by Karpenter';
const RELAXED = 'relaxing soft constraints for pod since it previously failed to schedule';
const DEFERRED =
  'deferring scheduling decision for provisionable pod(s) to future simulation due to limited reserved offering capacity';

const MOST_NAMES = 5;

/** The number of unschedulable pods without those that wait for reserved capacity, which are named in the log. */
export function countUnschedulable({ unschedulable }: Plan, logger: Logger): number {
  const deferred = unschedulable.filter(({ failure }) => awaitsReservation(failure)).map(({ pod }) => podName(pod));
  if (deferred.length > 0) logger.debug(DEFERRED, { Pods: nameList(deferred, MOST_NAMES) });
  return unschedulable.length - deferred.length;
}

function reportCounts({ newNodes, existingNodes }: Plan, logger: Logger): void {
  if (newNodes.length === 0) return;
  const counts = { nodeclaims: newNodes.length, pods: countPods(newNodes) };
  logger.info('computed new nodeclaim(s) to fit pod(s)', counts);
  if (existingNodes.length === 0) return;
  const others = { nodes: existingNodes.length, pods: countPods(existingNodes) };
  logger.info('computed unready node(s) will fit pod(s)', others);
}

function countPods(nodes: readonly { readonly pods: readonly PlacedPod[] }[]): number {
  return nodes.reduce((sum, { pods }) => sum + pods.length, 0);
}

/** Logs which of two plans for the same pods was chosen, at what prices and why (spec 09 A1). */
function reportPacking({ taken, why, upstream, costAware }: PackingDecision, logger: Logger): void {
  if (why === 'Policy' || why === 'NothingToChange') return; // there was no second plan to choose from
  const fields = {
    extension: 'A1',
    reason: why,
    ...costFields('upstream-', upstream),
    ...(costAware && costFields('cost-aware-', costAware)),
  };
  if (taken === 'cost-aware') logger.info('computed cheaper nodeclaim(s) than upstream would', fields);
  else logger.debug('computed the nodeclaim(s) upstream would', fields);
}

function costFields(prefix: string, { nodes, pricePerHour, feesPerHour }: PlanCost): Readonly<Record<string, number>> {
  return {
    [`${prefix}nodeclaims`]: nodes,
    [`${prefix}price-per-hour`]: roundPrice(pricePerHour),
    ...(feesPerHour > 0 && { [`${prefix}fees-per-hour`]: roundPrice(feesPerHour) }),
  };
}

/** `minValuesUnmet`: instance types were compatible, but fewer than minValues demands. */
function noCompatibleInstanceTypes(nodePool: NodePool, minValuesUnmet: boolean): EventDraft {
  const message = 'NodePool requirements filtered out all compatible available instance types';
  return {
    on: subjectOf(NODE_POOLS, nodePool),
    type: 'Warning',
    reason: 'NoCompatibleInstanceTypes',
    message: minValuesUnmet ? `${message} due to minValues incompatibility` : message,
    dedupe: [nodePool.metadata.uid ?? ''],
    dedupeTimeout: 1 * MINUTE,
  };
}
