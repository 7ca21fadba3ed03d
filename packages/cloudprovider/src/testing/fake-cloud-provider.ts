import {
  type NodeClaim,
  nodeClassLabel,
  type NodePool,
  NODEPOOL_LABEL,
  type ProviderProfile,
} from '@karpenter-ts/apis';
import { type ResourceType, shared } from '@karpenter-ts/kubernetes';
import { type Clock, MINUTE, realClock } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { DEFAULT_TYPES, FAKE_PROFILE, RESERVATION_LABEL } from '@karpenter-ts/scheduling/testing';
import type { CloudProvider, RegistrationHook, RepairPolicy, UnsupportedVolumes } from '../cloud-provider.ts';
import { InsufficientCapacityError, NodeClaimNotFoundError } from '../errors.ts';
import { chooseInstance } from './fake-instance.ts';
import type { Fault } from './fault.ts';
import { FaultScript } from './fault-script.ts';

/** A kind that every embedded API server serves. */
const FAKE_NODE_CLASS: ResourceType = {
  group: 'karpenter.kwok.sh',
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};

const FAKE_REPAIR: RepairPolicy = { conditionType: 'BadNode', conditionStatus: 'False', toleration: 30 * MINUTE };

/** The instance types a pool is offered, or the error that asking for them ends in. */
type Offer = readonly InstanceType[] | Error;

/** What a fake can be given; everything has a default. */
export interface FakeSettings {
  /** Upstream's six types unless given. */
  readonly instanceTypes?: readonly InstanceType[];
  readonly nodeClasses?: readonly ResourceType[];
  readonly repairPolicies?: readonly RepairPolicy[];
  readonly registrationHooks?: readonly RegistrationHook[];
  readonly unsupportedVolumes?: UnsupportedVolumes;
  readonly defaultTerminationGracePeriod?: string;
  /** How many further calls of `delete` an instance survives after the first; 0 by default. */
  readonly outlivedDeletes?: number;
  /** What delays are measured by. */
  readonly clock?: Clock;
}

/** One call as the fake received it. */
export type FakeCall =
  | { readonly method: 'create' | 'delete' | 'findDrift'; readonly nodeClaim: NodeClaim }
  | { readonly method: 'get'; readonly providerId: string }
  | { readonly method: 'list' }
  | { readonly method: 'instanceTypes'; readonly nodePool: NodePool };

type Method = FakeCall['method'];

interface Instance {
  readonly owner: string; // uid of the claim it was created for
  readonly nodeClaim: NodeClaim;
  outlivedDeletes: number;
}

/**
 * A cloud in memory that keeps the contract and buys the cheapest type that fits. It fails on request: `script` queues
 * faults for the next calls of a method, `keepFailing` sets a fault for all others. It creates no Nodes.
 */
export class FakeCloudProvider implements CloudProvider {
  readonly name = 'fake';
  readonly profile: ProviderProfile;
  readonly reservationIdLabel = RESERVATION_LABEL;
  readonly reservedCapacityLabels: ReadonlySet<string> = new Set([RESERVATION_LABEL]);
  readonly nodeClasses: readonly ResourceType[];
  readonly repairPolicies: readonly RepairPolicy[];
  readonly registrationHooks: readonly RegistrationHook[];
  readonly unsupportedVolumes: UnsupportedVolumes | undefined;
  readonly defaultTerminationGracePeriod: string | undefined;
  readonly #script: FaultScript<Method>;
  readonly #outlivedDeletes: number;
  readonly #instances = new Map<string, Instance>(); // by provider id
  readonly #offers = new Map<string, Offer>(); // by name of the pool; '' for all others
  #views = new WeakMap<readonly InstanceType[], readonly InstanceType[]>(); // offers less what reservations have given
  readonly #calls: FakeCall[] = [];
  #launches = 0;
  #drift: string | undefined;

  constructor(settings: FakeSettings = {}) {
    this.nodeClasses = settings.nodeClasses ?? [FAKE_NODE_CLASS];
    this.profile = { ...FAKE_PROFILE, nodeClassLabels: new Set(this.nodeClasses.map(nodeClassLabel)) };
    this.repairPolicies = settings.repairPolicies ?? [FAKE_REPAIR];
    this.registrationHooks = settings.registrationHooks ?? [];
    this.unsupportedVolumes = settings.unsupportedVolumes;
    this.defaultTerminationGracePeriod = settings.defaultTerminationGracePeriod;
    this.#outlivedDeletes = settings.outlivedDeletes ?? 0;
    this.#script = new FaultScript(settings.clock ?? realClock);
    this.#offers.set('', settings.instanceTypes ?? DEFAULT_TYPES);
  }

  /** Queues faults. Each applies to one call of the method, in this order. */
  script(method: Method, ...faults: readonly Fault[]): void {
    this.#script.queue(method, faults);
  }

  /** Applies a fault to every call of the method without a queued one, until `recover`. */
  keepFailing(method: Method, fault: Fault): void {
    this.#script.setLasting(method, fault);
  }

  /** Ends `keepFailing`. */
  recover(method: Method): void {
    this.#script.setLasting(method, undefined);
  }

  /** Sets the instance types of one pool, or of all pools without their own. An error makes `instanceTypes` reject. */
  offer(offer: Offer, nodePool = ''): void {
    this.#offers.set(nodePool, offer);
  }

  /** Changes what `findDrift` answers. */
  setDrift(reason: string | undefined): void {
    this.#drift = reason;
  }

  /** Adds an instance that no create call asked for. The NodeClaim must carry a provider id. */
  addInstance(nodeClaim: NodeClaim): void {
    const providerId = nodeClaim.status?.providerID;
    if (!providerId) throw new Error(`NodeClaim ${nodeClaim.metadata.name} has no provider id`);
    this.#instances.set(providerId, {
      owner: ownerOf(nodeClaim),
      nodeClaim: shared(nodeClaim),
      outlivedDeletes: this.#outlivedDeletes,
    });
  }

  /** Removes an instance without a delete call, as a cloud does when it reclaims one. */
  removeInstance(providerId: string): void {
    this.#instances.delete(providerId);
    this.#views = new WeakMap();
  }

  /** All instances, including those that are terminating. */
  get instances(): readonly NodeClaim[] {
    return [...this.#instances.values()].map(({ nodeClaim }) => nodeClaim);
  }

  /** All calls so far, oldest first, including those that failed. */
  get calls(): readonly FakeCall[] {
    return this.#calls;
  }

  /** The calls of one method. */
  callsOf<M extends Method>(method: M): readonly Extract<FakeCall, { readonly method: M }>[] {
    return this.#calls.filter((call): call is Extract<FakeCall, { readonly method: M }> => call.method === method);
  }

  create(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<NodeClaim> {
    this.#calls.push({ method: 'create', nodeClaim });
    return this.#script.run('create', () => this.#find(nodeClaim) ?? this.#launch(nodeClaim), signal);
  }

  delete(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<void> {
    this.#calls.push({ method: 'delete', nodeClaim });
    return this.#script.run('delete', () => this.#end(nodeClaim.status?.providerID ?? ''), signal);
  }

  get(providerId: string, signal?: AbortSignal): Promise<NodeClaim> {
    this.#calls.push({ method: 'get', providerId });
    return this.#script.run('get', () => this.#getInstance(providerId).nodeClaim, signal);
  }

  list(signal?: AbortSignal): Promise<readonly NodeClaim[]> {
    this.#calls.push({ method: 'list' });
    return this.#script.run('list', () => this.instances, signal);
  }

  instanceTypes(nodePool: NodePool, signal?: AbortSignal): Promise<readonly InstanceType[]> {
    this.#calls.push({ method: 'instanceTypes', nodePool });
    return this.#script.run('instanceTypes', () => this.#typesFor(nodePool.metadata.name), signal);
  }

  findDrift(nodeClaim: NodeClaim, signal?: AbortSignal): Promise<string | undefined> {
    this.#calls.push({ method: 'findDrift', nodeClaim });
    return this.#script.run('findDrift', () => this.#drift, signal);
  }

  #find(nodeClaim: NodeClaim): NodeClaim | undefined {
    const owner = ownerOf(nodeClaim);
    for (const instance of this.#instances.values()) if (instance.owner === owner) return instance.nodeClaim;
    return undefined;
  }

  #launch(nodeClaim: NodeClaim): NodeClaim {
    const types = this.#typesFor(nodeClaim.metadata.labels?.[NODEPOOL_LABEL] ?? '');
    const instance = chooseInstance(nodeClaim, types);
    if (instance === undefined) {
      throw new InsufficientCapacityError(new Error('no available instance type meets the requirements and requests'));
    }
    const launched = shared<NodeClaim>({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: nodeClaim.metadata.name,
        labels: instance.labels,
        ...(nodeClaim.metadata.annotations && { annotations: nodeClaim.metadata.annotations }),
      },
      spec: nodeClaim.spec,
      status: {
        providerID: `fake:///instance-${++this.#launches}`,
        capacity: instance.capacity,
        allocatable: instance.allocatable,
      },
    });
    this.#instances.set(launched.status!.providerID!, {
      owner: ownerOf(nodeClaim),
      nodeClaim: launched,
      outlivedDeletes: this.#outlivedDeletes,
    });
    if (RESERVATION_LABEL in instance.labels) this.#views = new WeakMap();
    return launched;
  }

  #end(providerId: string): void {
    const instance = this.#getInstance(providerId);
    if (instance.outlivedDeletes-- === 0) this.removeInstance(providerId);
  }

  #getInstance(providerId: string): Instance {
    const instance = this.#instances.get(providerId);
    if (instance !== undefined) return instance;
    throw new NodeClaimNotFoundError(new Error(`no instance exists with provider id "${providerId}"`));
  }

  #typesFor(nodePool: string): readonly InstanceType[] {
    const offer = this.#offers.get(nodePool) ?? this.#offers.get('')!;
    if (offer instanceof Error) throw offer;
    let view = this.#views.get(offer);
    if (view === undefined) {
      view = shared(withoutUsedReservations(offer, this.instances));
      this.#views.set(offer, view);
    }
    return view;
  }
}

function ownerOf({ metadata }: NodeClaim): string {
  return metadata.uid ?? metadata.name;
}

/** Returns the same array if no offering is reserved. */
function withoutUsedReservations(
  types: readonly InstanceType[],
  instances: readonly NodeClaim[],
): readonly InstanceType[] {
  if (!types.some(({ offerings }) => offerings.some(({ reservation }) => reservation !== undefined))) return types;
  const used = Map.groupBy(instances, ({ metadata }) => metadata.labels?.[RESERVATION_LABEL]);
  return types.map((type) => ({
    ...type,
    offerings: type.offerings.map((offering) => {
      if (offering.reservation === undefined) return offering;
      const { id } = offering.reservation;
      const capacity = offering.reservation.capacity - (used.get(id)?.length ?? 0);
      return { ...offering, available: offering.available && capacity > 0, reservation: { id, capacity } };
    }),
  }));
}
