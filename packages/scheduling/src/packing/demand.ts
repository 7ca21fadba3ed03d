import type { HostPort } from '../checks/host-ports.ts';
import type { NodeNeeds } from '../requirements/requirement-set.ts';
import type { ResourceTable, ResourceVector } from '../resources/resource-table.ts';
import type { Amounts } from '../resources/amounts.ts';
import type { Stage } from './constraints.ts';
import type { PodShape } from './pod-shape.ts';

/**
 * What a pod asks of a node alone, other pods' whereabouts aside. A node that refuses a demand refuses it for good,
 * because nodes only fill up and narrow down: so the refusal is remembered by demand, for all classes that share it.
 */
export interface Demand {
  readonly id: number;
  readonly requests: ResourceVector;
  /** The same as it is printed. */
  readonly amounts: Amounts;
  readonly tolerations: number;
  readonly needs: NodeNeeds;
  readonly volumeAlternatives: readonly NodeNeeds[];
  readonly ports: readonly HostPort[];
}

/** The demands of all stages of all shapes. */
export class Demands {
  readonly #resources: ResourceTable;
  readonly #vectors = new Map<Amounts, { readonly id: number; readonly vector: ResourceVector }>();
  readonly #byText = new Map<string, Demand>();
  /** By shape, then by stage. */
  readonly #byStage: (Demand | undefined)[][] = [];

  constructor(resources: ResourceTable) {
    this.#resources = resources;
  }

  of(shape: PodShape, stage: Stage): Demand {
    this.#byStage[shape.id] ??= [];
    const demands = this.#byStage[shape.id]!;
    demands[stage.index] ??= this.#intern(shape, stage);
    return demands[stage.index]!;
  }

  /** In the units of the base. */
  requestsOf({ requests }: PodShape): ResourceVector {
    return this.#vectorOf(requests).vector;
  }

  #intern({ id, requests, volumeAlternatives, ports }: PodShape, { needs, tolerations }: Stage): Demand {
    const { id: size, vector } = this.#vectorOf(requests);
    const named = needs.hostname !== undefined || volumeAlternatives.some(({ hostname }) => hostname !== undefined);
    const alternatives = volumeAlternatives.map(({ set }) => set.id).join();
    const taken = ports.length === 0 ? '' : JSON.stringify(ports);
    // A hostname is hardly ever asked for: not worth comparing.
    const text = `${size} ${tolerations} ${needs.set.id} ${alternatives} ${taken} ${named ? id : ''}`;
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
