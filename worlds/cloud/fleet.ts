import { INSTANCE_TYPE_LABEL, type NodeClaim, nodeClassLabel, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import { type CloudProvider, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import type { Cluster } from '@karpenter-ts/embedded';
import { KWOK_NODE_CLASSES } from '@karpenter-ts/provider-kwok';
import {
  type Clock,
  type Controller,
  type Instant,
  isNotFound,
  MINUTE,
  SECOND,
  singleton,
} from '@karpenter-ts/runtime';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { fakeType, makeOffering } from '@karpenter-ts/scheduling/testing';
import type { JoinFault } from './join-fault.ts';

/** A instance that was bought. */
export interface Instance {
  readonly providerId: string;
  /** UID of the claim it was bought for. */
  readonly owner: string;
  readonly since: Instant;
}

const JOIN_DELAY = 20 * SECOND;
const LATE = 6 * MINUTE;
/** As long as a cloud controller manager may take to notice that an instance is gone. */
const NODE_REMOVAL = 40 * SECOND;
/** For so long a type that was sold out is not on offer; as upstream's AWS provider has it. */
const RESTOCK = 3 * MINUTE;
/** Three sizes, in two zones, spot for less than on demand. */
export const FLEET_TYPES: readonly InstanceType[] = [2, 4, 8].map((cpu) =>
  fakeType(`cpu-${cpu}`, {
    resources: { cpu: String(cpu), memory: `${2 * cpu}Gi`, pods: '30' },
    offerings: ['zone-1', 'zone-2'].flatMap((zone) => [
      makeOffering(zone, 'spot', 0.015 * cpu),
      makeOffering(zone, 'on-demand', 0.025 * cpu),
    ]),
  }),
);

/** How old an instance is that is ended because no claim knows of it, and how often such are looked for. */
export const FLEET_SWEEP = { age: 1 * MINUTE, period: 2 * MINUTE };

/**
 * A cloud with a life of its own: instances boot and join the cluster whether or not the operator that bought them still
 * lives, and their Nodes go when they are gone. Nothing in it breaks by itself.
 */
export class Fleet {
  readonly #cluster: Cluster;
  readonly #clock: Clock;
  readonly #tell: (text: string) => void;
  readonly #instances = new Map<string, Instance>();
  readonly #joinFaults: JoinFault[] = [];
  readonly #soldOut = new Set<string>(); // names of types
  #scarcity = 0; // how many purchases will find theirs sold out
  readonly #cloud: FakeCloudProvider;

  constructor(cluster: Cluster, clock: Clock, tell: (text: string) => void) {
    this.#cluster = cluster;
    this.#clock = clock;
    this.#tell = tell;
    this.#cloud = new FakeCloudProvider({
      instanceTypes: FLEET_TYPES,
      nodeClasses: [KWOK_NODE_CLASSES],
      repairPolicies: (['False', 'Unknown'] as const).map((conditionStatus) => {
        return { conditionType: 'Ready', conditionStatus, toleration: 10 * MINUTE };
      }),
      outlivedDeletes: 1, // the second call ends it, the third finds nothing
      clock,
    });
  }

  /** Those that run or are ending. */
  get instances(): readonly Instance[] {
    return [...this.#instances.values()];
  }

  /** Whether there is still an instance behind the Node of this name. */
  runs(nodeName: string): boolean {
    return this.instances.some(({ providerId }) =>
      [nodeName, nodeName.replace(/-twin$/, '')].includes(nodeNameOf(providerId)),
    );
  }

  /** So many of the instances that boot from now on will fail like this. */
  breakJoins(fault: JoinFault, times: number): void {
    this.#joinFaults.push(...Array.from({ length: times }, () => fault));
  }

  /** Says of all instances that they should be replaced, for this reason; of none if undefined. */
  setDrift(reason: string | undefined): void {
    this.#cloud.setDrift(reason);
  }

  /** Lets so many purchases find that what they would get is sold out. */
  makeScarce(times: number): void {
    this.#scarcity += times;
  }

  /** There is enough of everything, and instances that boot from now on do so without trouble. */
  heal(): void {
    this.#joinFaults.length = 0;
    this.#scarcity = 0;
    this.#cloud.setDrift(undefined);
    this.#soldOut.clear();
    this.#offer();
  }

  /** Takes an instance away behind everybody's back. */
  end(providerId: string): void {
    this.#cloud.removeInstance(providerId);
    this.#bury(providerId);
  }

  /** As an operator sees it. */
  provider(): CloudProvider {
    const cloud = this.#cloud;
    return Object.assign(Object.create(cloud) as CloudProvider, {
      create: (nodeClaim, signal) => this.#create(nodeClaim, signal),
      delete: async (nodeClaim, signal) => {
        await cloud.delete(nodeClaim, signal);
        this.#buryEnded();
      },
      get: (providerId, signal) => cloud.get(providerId, signal),
      list: (signal) => cloud.list(signal),
      instanceTypes: (nodePool, signal) => cloud.instanceTypes(nodePool, signal),
      findDrift: (nodeClaim, signal) => cloud.findDrift(nodeClaim, signal),
    } satisfies Partial<CloudProvider>);
  }

  /** Ends instances nobody claims, as providers must: a process may die between buying one and writing that down. */
  sweep(listNodeClaims: () => readonly NodeClaim[]): Controller {
    return singleton('fleet.sweep', async () => {
      const owners = new Set(listNodeClaims().map(({ metadata }) => metadata.uid));
      for (const { providerId, owner, since } of this.instances) {
        if (!owners.has(owner) && this.#clock.now() - since >= FLEET_SWEEP.age) this.end(providerId);
      }
      return { requeueAfter: FLEET_SWEEP.period };
    });
  }

  async #create(nodeClaim: NodeClaim, signal: AbortSignal | undefined): Promise<NodeClaim> {
    const { name } = nodeClaim.spec.nodeClassRef;
    await this.#cluster.client.get(KWOK_NODE_CLASSES, { name }).catch((error: unknown) => {
      throw isNotFound(error) ? new InsufficientCapacityError(error) : error;
    });
    const launched = await this.#cloud.create(withoutClass(nodeClaim), signal);
    const providerId = launched.status?.providerID ?? '';
    if (!this.#instances.has(providerId)) {
      const type = launched.metadata.labels?.[INSTANCE_TYPE_LABEL] ?? '';
      if (this.#scarcity > 0) throw this.#sellOut(providerId, type);
      this.#tell(`instance ${providerId} is bought: ${type}`);
      this.#instances.set(providerId, { providerId, owner: nodeClaim.metadata.uid ?? '', since: this.#clock.now() });
      this.#boot(launched, this.#joinFaults.shift());
    }
    return launched;
  }

  /** Providers remember what was sold out: others are asked for then. */
  #sellOut(providerId: string, type: string): Error {
    this.#tell(`${type} is sold out`);
    this.#scarcity--;
    this.#cloud.removeInstance(providerId);
    this.#soldOut.add(type);
    this.#offer();
    this.#clock.after(RESTOCK, () => {
      this.#soldOut.delete(type);
      this.#offer();
    });
    return new InsufficientCapacityError(new Error(`${type} is sold out`));
  }

  #offer(): void {
    this.#cloud.offer(FLEET_TYPES.map((type) => (this.#soldOut.has(type.name) ? withoutOffers(type) : type)));
  }

  #boot(launched: NodeClaim, fault: JoinFault | undefined): void {
    if (fault === 'never') return;
    const providerId = launched.status?.providerID ?? '';
    const name = nodeNameOf(providerId);
    if (fault === 'never-ready') this.#cluster.faults.inject(name, { kind: 'never-ready' });
    const nodes = [
      nodeOf(launched, name, fault),
      ...(fault === 'twice' ? [nodeOf(launched, `${name}-twin`, fault)] : []),
    ];
    this.#clock.after(fault === 'late' ? LATE : JOIN_DELAY, () => {
      if (!this.#instances.has(providerId)) return;
      for (const node of nodes) void this.#cluster.client.create(NODES, node);
    });
  }

  #buryEnded(): void {
    const running = new Set(this.#cloud.instances.map(({ status }) => status?.providerID));
    for (const { providerId } of this.instances) if (!running.has(providerId)) this.#bury(providerId);
  }

  /** Its kubelet falls silent, and after a while its Nodes are deleted, whatever they say of themselves. */
  #bury(providerId: string): void {
    if (!this.#instances.delete(providerId)) return;
    const { client, faults } = this.#cluster;
    const name = nodeNameOf(providerId);
    for (const node of [name, `${name}-twin`]) {
      faults.inject(node, { kind: 'lost' });
      this.#clock.after(NODE_REMOVAL, () => void client.delete(NODES, { name: node }).catch(ignoreAbsence));
    }
  }
}

function withoutOffers(type: InstanceType): InstanceType {
  return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: false })) };
}

/** What a NodeClass is called is nothing a fake's types know of. */
function withoutClass(nodeClaim: NodeClaim): NodeClaim {
  const requirements = nodeClaim.spec.requirements.filter(({ key }) => key !== nodeClassLabel(KWOK_NODE_CLASSES));
  return { ...nodeClaim, spec: { ...nodeClaim.spec, requirements } };
}

function ignoreAbsence(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

function nodeNameOf(providerId: string): string {
  return providerId.slice(providerId.lastIndexOf('/') + 1);
}

/** The Node as the instance's kubelet registers it. */
function nodeOf({ metadata, status }: NodeClaim, name: string, fault: JoinFault | undefined): Node {
  const providerID = fault === 'wrong-id' ? `${status?.providerID}-astray` : (status?.providerID ?? '');
  const hostname = { 'kubernetes.io/hostname': name };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: fault === 'bare' ? hostname : { ...metadata.labels, ...hostname },
      annotations: { 'kwok.x-k8s.io/node': 'fake' }, // so that the embedded cluster plays its kubelet
    },
    spec: { providerID, ...(fault !== 'bare' && { taints: [UNREGISTERED_TAINT] }) },
    status: { capacity: status?.capacity ?? {}, allocatable: status?.allocatable ?? {} },
  };
}
