import type { NodeNeeds } from '../model/requirements/requirement-set.ts';
import type { ResourceTable, ResourceVector } from '../model/resources/resource-table.ts';
import type { Amounts } from '@karpenter-ts/kubernetes';
import type { Stage } from '../model/pods/constraints.ts';
import { type DaemonNeighbour, type DaemonPeers, neighbourText } from './daemon-peers.ts';
import type { PodClass } from '../model/pods/pod-class.ts';
import type { PodShape } from '../model/pods/pod-shape.ts';

/**
 * What a pod asks of a node, regardless of where other pods are. A node that refuses a demand refuses it for good, because
 * nodes only fill up and narrow down. So refusals are remembered by demand, for all classes that share it.
 */
export interface Demand extends DaemonNeighbour {
  readonly id: number;
  readonly requests: ResourceVector;
  /** The same as it is printed. */
  readonly amounts: Amounts;
  readonly tolerations: number;
  readonly needs: NodeNeeds;
  readonly volumeAlternatives: readonly NodeNeeds[];
}

/** The demands of all stages of all classes of pods. */
export class Demands {
  readonly #resources: ResourceTable;
  readonly #peers: DaemonPeers;
  readonly #vectors = new Map<Amounts, { readonly id: number; readonly vector: ResourceVector }>();
  readonly #byText = new Map<string, Demand>();
  /** By class, then by stage. */
  readonly #byStage: (Demand | undefined)[][] = [];

  constructor(resources: ResourceTable, peers: DaemonPeers) {
    this.#resources = resources;
    this.#peers = peers;
  }

  of(podClass: PodClass, stage: Stage): Demand {
    this.#byStage[podClass.id] ??= [];
    const demands = this.#byStage[podClass.id]!;
    demands[stage.index] ??= this.#intern(podClass, stage);
    return demands[stage.index]!;
  }

  /** In the units of the base. */
  requestsOf({ requests }: PodShape): ResourceVector {
    return this.#vectorOf(requests).vector;
  }

  #intern({ shape, kind }: PodClass, { needs, tolerations }: Stage): Demand {
    const { id, requests, volumeAlternatives, ports } = shape;
    const avoided = this.#peers.avoidedBy(kind);
    const { id: size, vector } = this.#vectorOf(requests);
    const named = needs.hostname !== undefined || volumeAlternatives.some(({ hostname }) => hostname !== undefined);
    const alternatives = volumeAlternatives.map(({ set }) => set.id).join();
    const beside = neighbourText({ ports, avoided });
    // A hostname is hardly ever asked for: not worth comparing.
    const text = `${size} ${tolerations} ${needs.set.id} ${alternatives} ${beside} ${named ? id : ''}`;
    let demand = this.#byText.get(text);
    if (demand === undefined) {
      demand = {
        id: this.#byText.size,
        requests: vector,
        amounts: requests,
        tolerations,
        needs,
        volumeAlternatives,
        ports,
        avoided,
      };
      this.#byText.set(text, demand);
    }
    return demand;
  }

  #vectorOf(requests: Amounts) {
    let known = this.#vectors.get(requests);
    if (known === undefined) {
      known = { id: this.#vectors.size, vector: this.#resources.toRequests(requests) };
      this.#vectors.set(requests, known);
    }
    return known;
  }
}
