import type { Requirements } from '@karpenter-ts/apis';
import type { HostPort, InstanceTypeRefusal, PoolRefusal } from '../failure.ts';
import { hostPortsOf, portsConflict } from '../model/pods/host-ports.ts';
import { Catalogues } from '../model/instance-types/catalogues.ts';
import type { NodeTemplate } from '../packing/new-nodes/node-template.ts';
import type { OverheadGroup } from '../packing/new-nodes/overhead-group.ts';
import type { PlannedNode, UnschedulablePod } from '../plan.ts';
import { finish } from '../progress.ts';
import { addAmounts, AmountReader, type Amounts, NO_AMOUNTS } from '@karpenter-ts/kubernetes';
import { podRequests } from '../model/resources/pod-requests.ts';
import { roundUpRequests } from '../model/resources/resource-table.ts';
import { isUnusable } from '../packing/plan-scope.ts';
import { EMPTY_SNAPSHOT, type InstanceType, type PlanningOptions, type Pool, type Snapshot } from '../snapshot.ts';
import { indexSnapshot, type IndexedSnapshot } from '../packing/indexed-snapshot.ts';
import { compareShortfalls, type Shortfall, shortfallOf } from './shortfall.ts';

/** What one pool lacked for a pod. */
export interface PoolExplanation extends PoolRefusal {
  /** Where no instance type would do: the one with the fewest obstacles, then with the smallest lack. */
  readonly nearestMiss: Shortfall | undefined;
}

/** Why a planned node may be of the types it lists and of no cheaper one. */
export interface NodeExplanation {
  /** How many types of the pool meet its own requirements. */
  readonly considered: number;
  /**
   * Those below the node's price that are not listed, cheapest first; the price is what one would cost in this pool. No last
   * resorts where the node can be of other types.
   */
  readonly cheaper: readonly Shortfall[];
}

/** What is asked of all types of a pool. */
interface Question {
  readonly requirements: Requirements;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  /** Names of daemons that cannot run beside what is asked for. */
  readonly avoidedDaemons: readonly string[];
}

/**
 * Answers what nobody wants to know of every pod and node, from a plan and the snapshot it was made of. Each answer looks
 * at every type of a pool, in plain terms: some milliseconds for a thousand.
 */
export class Explainer {
  readonly #options: PlanningOptions;
  readonly #pools: ReadonlyMap<string, Pool>;
  readonly #index: IndexedSnapshot;
  readonly #reader = new AmountReader();
  readonly #daemons = new Map<NodeTemplate, ReadonlyMap<InstanceType, OverheadGroup>>();

  constructor({ pools, daemonPods }: Snapshot, options: PlanningOptions, catalogues = new Catalogues()) {
    this.#options = options;
    this.#pools = new Map(pools.map((pool) => [pool.nodePool.metadata.name, pool]));
    this.#index = finish(indexSnapshot({ ...EMPTY_SNAPSHOT, pools, daemonPods }, options, catalogues));
  }

  /** What each pool said to a pod, with what came closest; empty if none was asked. */
  explainPod({ pod, failure }: UnschedulablePod): readonly PoolExplanation[] {
    if (failure.why !== 'PoolsRefused') return [];
    const ports = hostPortsOf(pod);
    return failure.refusals.map((refused) => {
      const { nodePool, refusal } = refused;
      const nearestMiss = refusal.why === 'InstanceTypes' ? this.#nearestMiss(nodePool, refusal, ports) : undefined;
      return { ...refused, nearestMiss };
    });
  }

  /** Which types were looked at for a node, and what the cheaper ones lack. */
  explainNode(node: PlannedNode): NodeExplanation {
    const { pool, template } = this.#find(node.nodePool);
    const question = {
      requirements: node.requirements,
      requests: addAmounts(...node.pods.map(({ pod }) => roundUpRequests(podRequests(pod, this.#reader)))),
      ports: node.pods.flatMap(({ pod }) => hostPortsOf(pod)),
      avoidedDaemons: [],
    };
    const listed = new Set(node.instanceTypes);
    const ownRequirements = this.#index.internTables.sets.toRequirements(template.set);
    const first = pool.instanceTypes.find(({ name }) => name === node.instanceTypes[0]);
    const wouldTakeOthers = first?.lastResort !== true && !template.set.hasMinValues;
    const cheaper = pool.instanceTypes
      .filter(({ name, lastResort }) => !listed.has(name) && !(wouldTakeOthers && lastResort === true))
      .map((type) => ({ type, ...this.#ask(type, template, { ...question, requirements: ownRequirements }) }))
      .filter(({ pricePerHour }) => pricePerHour < node.pricePerHour)
      .map(({ type, pricePerHour }) => ({ ...this.#ask(type, template, question), pricePerHour }));
    return {
      considered: template.market.catalogue.countTypes(template.variants, template.variants),
      cheaper: cheaper.sort((a, b) => a.pricePerHour - b.pricePerHour),
    };
  }

  #nearestMiss(nodePool: string, refusal: InstanceTypeRefusal, ports: readonly HostPort[]): Shortfall | undefined {
    const { pool, template } = this.#find(nodePool);
    const { requirements, podRequests: requests, avoidedDaemons } = refusal;
    return pool.instanceTypes
      .map((type) => this.#ask(type, template, { requirements, requests, ports, avoidedDaemons }))
      .sort(compareShortfalls)[0];
  }

  #ask(type: InstanceType, template: NodeTemplate, question: Question): Shortfall {
    const { requirements, requests, ports, avoidedDaemons } = question;
    const daemons = this.#daemonsOn(template).get(type);
    const names = daemons?.daemons.map(({ name }) => name) ?? [];
    return shortfallOf(type, {
      requirements,
      requests: addAmounts(requests, daemons?.requests ?? NO_AMOUNTS),
      takenPorts: ports.filter((port) => portsConflict([port], daemons?.ports ?? [])),
      avoidedDaemons: avoidedDaemons.filter((name) => names.includes(name)),
      profile: this.#options.profile,
    });
  }

  #find(nodePool: string): { readonly pool: Pool; readonly template: NodeTemplate } {
    const pool = this.#pools.get(nodePool);
    const template = pool && this.#index.pools.templatesOf([pool])[0]!.template;
    if (pool === undefined || template === undefined || isUnusable(template)) {
      throw new RangeError(`nodepool ${nodePool} is not of this snapshot`);
    }
    return { pool, template };
  }

  /** By type, as far as the pool would buy it at all. */
  #daemonsOn(template: NodeTemplate): ReadonlyMap<InstanceType, OverheadGroup> {
    let daemons = this.#daemons.get(template);
    if (daemons === undefined) {
      const { types, typeOf } = template.market.catalogue;
      daemons = new Map(
        template.overheadGroups.flatMap((group) =>
          [...group.variants].map((variant) => [types[typeOf[variant]!]!, group]),
        ),
      );
      this.#daemons.set(template, daemons);
    }
    return daemons;
  }
}
