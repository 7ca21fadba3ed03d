// What the next pass of a provisioner would see of the environment's nodes and pods.
import {
  type ApiObject,
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  type Pod,
  PODS,
} from '@karpenter-ts/kubernetes';
import {
  describeNode,
  type InstanceType,
  type Offering,
  type PlanningOptions,
  type Snapshot,
  type Volumes,
} from '@karpenter-ts/scheduling';
import { FLEET } from './scoped-fleet.ts';
import type { FleetEnvironment } from './fleet-environment.ts';

/** The cluster as it has become since `before`, with the pods that have no node yet to be placed. */
export async function observe(env: FleetEnvironment, before: Snapshot, options: PlanningOptions): Promise<Snapshot> {
  const { client, namespace } = env.context;
  const nodes = (await client.listAll<Node & ApiObject>(NODES, { labelSelector: `${FLEET}=${namespace}` })).items;
  const pods = await listPods(env, before);
  const deleting = new Set(before.deletingNodes.map(({ name }) => name));
  const described = nodes.map((node) => {
    const { name } = node.metadata;
    const { volumeLimits = {} } = before.nodes.find((known) => known.name === name) ?? {};
    return describeNode({ node, volumeLimits, pods: pods.filter(({ spec }) => spec.nodeName === name) });
  });
  return {
    ...before,
    pools: before.pools.map(({ nodePool, instanceTypes }) => ({
      nodePool,
      instanceTypes: instanceTypes.map((type) => withoutTaken(type, nodes, options)),
    })),
    nodes: described.filter(({ name }) => !deleting.has(name)),
    deletingNodes: described.filter(({ name }) => deleting.has(name)),
    pods: pods.filter(({ spec }) => !spec.nodeName),
    volumes: await observeVolumes(env, before),
  };
}

async function listPods({ context }: FleetEnvironment, { namespaces }: Snapshot): Promise<readonly Pod[]> {
  const lists = namespaces.map(({ name }) => context.client.listAll<Pod & ApiObject>(PODS, { namespace: name }));
  return (await Promise.all(lists)).flatMap(({ items }) => items);
}

async function observeVolumes({ context }: FleetEnvironment, { namespaces, volumes }: Snapshot): Promise<Volumes> {
  const lists = namespaces.map(({ name }) =>
    context.client.listAll<PersistentVolumeClaim & ApiObject>(PERSISTENT_VOLUME_CLAIMS, { namespace: name }),
  );
  const labelSelector = `${FLEET}=${context.namespace}`;
  return {
    volumeClaims: (await Promise.all(lists)).flatMap(({ items }) => items),
    persistentVolumes: (
      await context.client.listAll<PersistentVolume & ApiObject>(PERSISTENT_VOLUMES, { labelSelector })
    ).items,
    storageClasses: volumes.storageClasses,
  };
}

/** A provider takes what runs off its reservations. */
function withoutTaken(
  type: InstanceType,
  nodes: readonly Node[],
  { reservationIdLabel = '' }: PlanningOptions,
): InstanceType {
  const left = (offering: Offering): Offering => {
    if (offering.reservation === undefined) return offering;
    const { id } = offering.reservation;
    const taken = nodes.filter(({ metadata }) => metadata.labels?.[reservationIdLabel] === id).length;
    const capacity = Math.max(0, offering.reservation.capacity - taken);
    return { ...offering, available: offering.available && capacity > 0, reservation: { id, capacity } };
  };
  return { ...type, offerings: type.offerings.map(left) };
}
