import {
  AWS_LABELS,
  type EC2NodeClass,
  EC2NODECLASS_TAG,
  type NodeClaim,
  type NodePool,
  NODEPOOL_TAG,
} from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { ChangeMonitor, errorText, findCause, type Logger, type SteadyClock } from '@karpenter-ts/runtime';
import { during, within } from '../api/with-context.ts';
import type { NodeClassLookup } from '../node-class/node-class-lookup.ts';
import type { InstanceTypeSource } from '../offerings/instance-type-source.ts';
import type { PlacementGroup, PlacementGroupSource } from '../placement/placement-group.ts';
import type { ReservationCounter } from '../reservations/reservation-counter.ts';
import type { Instance } from './instance.ts';
import type { Instances } from './instances.ts';
import { type KnownInstance, nodeClaimOf } from './node-claim-of.ts';
import { instanceIdOf } from './provider-id.ts';
import { type TypeData, typeDataOf } from './type-data.ts';

export interface LaunchedNodeClaimDeps {
  readonly instances: Pick<Instances, 'get' | 'list' | 'delete'>;
  readonly nodePools: { get(name: string): NodePool | undefined };
  readonly nodeClasses: Pick<NodeClassLookup, 'find' | 'ofNodePool'>;
  readonly instanceTypes: Pick<InstanceTypeSource, 'listInTurns'>;
  readonly placementGroups: PlacementGroupSource;
  readonly reservations: Pick<ReservationCounter, 'terminated'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

/** What an instance's tags and type lead to. */
type Origin = Pick<KnownInstance, 'type' | 'nodeClass' | 'placementGroup'>;

/**
 * The instances of the cloud as NodeClaims (spec 07 §19). What cannot be looked up is left out, so that one odd instance
 * never hides the others: upstream fails the whole list if the type of one has vanished.
 */
export class LaunchedNodeClaims {
  readonly #deps: LaunchedNodeClaimDeps;
  readonly #failures: ChangeMonitor;

  constructor(deps: LaunchedNodeClaimDeps) {
    this.#deps = deps;
    this.#failures = new ChangeMonitor(deps.clock);
  }

  /** Rejects with NodeClaimNotFoundError if there is no such instance. */
  async get(providerId: string, signal: AbortSignal): Promise<NodeClaim> {
    const id = during('getting instance ID', () => instanceIdOf(providerId));
    const instance = await within('getting instance', this.#deps.instances.get(id, signal));
    return this.#nodeClaimOf(instance, await this.#findOrigin(instance, signal));
  }

  async list(signal: AbortSignal): Promise<readonly NodeClaim[]> {
    const instances = await within('listing instances', this.#deps.instances.list(signal));
    const origins = new Map<string, Promise<Origin>>(); // thousands of instances have a few of them
    const originOf = (instance: Instance): Promise<Origin> => {
      const key = [instance.tags[NODEPOOL_TAG], instance.tags[EC2NODECLASS_TAG], instance.type].join('\0');
      const origin = origins.get(key) ?? this.#findOrigin(instance, signal);
      origins.set(key, origin);
      return origin;
    };
    return Promise.all(instances.map(async (instance) => this.#nodeClaimOf(instance, await originOf(instance))));
  }

  /** Resolves while the instance terminates. Once it is gone, rejects with NodeClaimNotFoundError. */
  async delete({ metadata, status }: NodeClaim, signal: AbortSignal): Promise<void> {
    const id = during('getting instance ID', () => instanceIdOf(status?.providerID ?? ''));
    try {
      await this.#deps.instances.delete(id, signal);
    } catch (error) {
      const reservation = metadata.labels?.[AWS_LABELS.capacityReservationId];
      const isGone = findCause(error, NodeClaimNotFoundError) !== undefined;
      if (isGone && reservation) this.#deps.reservations.terminated(reservation);
      throw error;
    }
  }

  #nodeClaimOf(instance: Instance, origin: Origin): NodeClaim {
    return nodeClaimOf({ instance, ...origin }, this.#deps.clock.now());
  }

  /** The type comes by way of the NodePool's present NodeClass, the rest from the one that it was launched with. */
  async #findOrigin(instance: Instance, signal: AbortSignal): Promise<Origin> {
    const nodeClass = this.#deps.nodeClasses.find(instance.tags[EC2NODECLASS_TAG] ?? '');
    const [type, placementGroup] = await Promise.all([
      this.#findType(instance, signal),
      nodeClass && this.#findGroup(nodeClass, signal),
    ]);
    return { type, nodeClass, placementGroup };
  }

  async #findType({ tags, type }: Instance, signal: AbortSignal): Promise<TypeData | undefined> {
    const { nodePools, nodeClasses, instanceTypes, logger } = this.#deps;
    const nodePool = nodePools.get(tags[NODEPOOL_TAG] ?? '');
    const nodeClass = nodePool && nodeClasses.ofNodePool(nodePool);
    if (nodeClass === undefined) return undefined;
    try {
      const group = await this.#findGroup(nodeClass, signal);
      const found = (await instanceTypes.listInTurns(nodeClass, group, signal)).find(({ name }) => name === type);
      if (found === undefined) throw new Error(`instance type ${type} not found in cache`);
      return typeDataOf(found);
    } catch (error) {
      signal.throwIfAborted();
      const about = { 'instance-type': type, NodePool: nodePool?.metadata.name };
      if (this.#failures.hasChanged(`${about.NodePool} ${type}`, errorText(error))) {
        logger.error('failed resolving instance type', error, about);
      }
      return undefined;
    }
  }

  /** Undefined if EC2 cannot be asked: the NodeClass' condition tells of that. */
  async #findGroup(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    try {
      return await this.#deps.placementGroups.resolve(nodeClass, signal);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }
}
