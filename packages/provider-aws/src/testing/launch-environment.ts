// The provider's launches, made of their real parts, beside an EC2 under the test's control.
import type { Instance } from '@aws-sdk/client-ec2';
import type { EC2NodeClass, NodeClaim } from '@karpenter-ts/apis';
import { makeNodeClaim, type NodeClaimParts } from '@karpenter-ts/cloudprovider/testing';
import { type EventDraft, MINUTE } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { BatchedEc2 } from '../batching/batched-ec2.ts';
import type { JoinedCluster } from '../cluster/cluster-facts.ts';
import { LaunchTemplates } from '../launch/launch-templates.ts';
import { NodeClaimLauncher } from '../launch/node-claim-launcher.ts';
import { SubnetAddressBook } from '../network/subnet-address-book.ts';
import { NodeClassLookup } from '../node-class/node-class-lookup.ts';
import { nodeClass as nodeClassWith, REGION, typeEnvironment } from '../offerings/testing/type-environment.ts';
import type { PlacementGroup } from '../placement/placement-group.ts';
import { FakeFleets } from './fake-fleets.ts';

export const CLUSTER: JoinedCluster = {
  name: 'test-cluster',
  endpoint: 'https://test-cluster',
  caBundle: 'Y2EtYnVuZGxlCg==',
  kubeDnsIp: '10.0.100.10',
  cidr: '10.100.0.0/16',
};

export interface LaunchParts {
  /** All that EC2 has. */
  readonly types: readonly string[];
  readonly nodeClasses?: readonly EC2NodeClass[];
  readonly cluster?: Partial<JoinedCluster>;
  readonly placementGroup?: PlacementGroup | undefined;
  readonly reservedCapacity?: boolean;
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
  readonly region?: string;
  readonly overlay?: (types: readonly InstanceType[], nodePool: string) => readonly InstanceType[];
}

/** The launches of a process that has just started. */
export async function launchEnvironment(parts: LaunchParts) {
  const { reservedCapacity = true, minValuesPolicy = 'Strict', region = REGION, placementGroup } = parts;
  const { source, ...catalogue } = await typeEnvironment({ types: parts.types, reservedCapacity });
  const { clock, logger, metrics } = catalogue;
  const nodeClasses = parts.nodeClasses ?? [readyNodeClass()];
  const known = new Map(nodeClasses.map((one) => [one.metadata.name, one]));
  const published: EventDraft[] = [];
  const events = { publish: (...drafts: readonly EventDraft[]) => void published.push(...drafts) };
  const fleets = new FakeFleets();
  const described: Instance[] = [];
  let placementGroupFailure: Error | undefined;
  const ec2 = {
    createFleet: fleets.createFleet,
    describeInstances: async () => ({ $metadata: {}, Reservations: [{ Instances: described }] }),
    terminateInstances: () => Promise.reject(new Error('not to be called')),
  };
  const cluster = { ...CLUSTER, ...parts.cluster };
  const addresses = new SubnetAddressBook(clock, 5 * MINUTE);
  const templates = new LaunchTemplates({
    ec2: fleets,
    clock,
    logger,
    metrics,
    clusterName: cluster.name,
    stopping: NEVER,
  });
  const launcher = new NodeClaimLauncher({
    ...catalogue,
    nodeClasses: new NodeClassLookup({ cache: known, events }),
    placementGroups: {
      resolve: async ({ spec }) => {
        if (placementGroupFailure !== undefined) throw placementGroupFailure;
        return spec?.placementGroupSelector === undefined ? undefined : placementGroup;
      },
    },
    instanceTypes: source,
    templates,
    ec2: new BatchedEc2({ ec2, clock, logger, metrics }),
    addresses,
    events,
    cluster,
    region,
    reservedCapacity,
    minValuesPolicy,
    overlay: parts.overlay,
  });
  return {
    ...catalogue,
    source,
    fleets,
    addresses,
    templates,
    published,
    known,
    launcher,
    /** What EC2 tells of instances. */
    describe: (...instances: readonly Instance[]) => void described.push(...instances),
    failPlacementGroups: (error: Error) => {
      placementGroupFailure = error;
    },
    create: (nodeClaim: NodeClaim) => clock.runUntil(launcher.create(nodeClaim, NEVER)),
  };
}

/** A NodeClass that is ready, with one subnet in each of three zones, one security group and one image. */
export function readyNodeClass(
  parts: {
    readonly name?: string;
    readonly spec?: Partial<NonNullable<EC2NodeClass['spec']>>;
    readonly status?: Partial<NonNullable<EC2NodeClass['status']>>;
  } = {},
): EC2NodeClass {
  const made = nodeClassWith({
    spec: parts.spec ?? {},
    status: {
      instanceProfile: 'profile-1',
      securityGroups: [{ id: 'sg-1' }],
      conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1, reason: 'Ready', message: '' } as never],
      ...parts.status,
    },
  });
  return { ...made, metadata: { name: parts.name ?? 'default', uid: 'uid-1', generation: 1 } };
}

/** A NodeClaim of the NodePool `default`, for the NodeClass of this name. */
export function claim({
  name = 'default-abcde',
  nodeClass = 'default',
  labels,
  ...parts
}: NodeClaimParts & { readonly name?: string; readonly nodeClass?: string } = {}): NodeClaim {
  const made = makeNodeClaim(name, { labels: { 'karpenter.sh/nodepool': 'default', ...labels }, ...parts });
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: nodeClass };
  return { ...made, spec: { ...made.spec, nodeClassRef } };
}

/** A requirement that a label has one of these values. */
export function oneOf(key: string, ...values: readonly string[]) {
  return { key, operator: 'In' as const, values };
}
