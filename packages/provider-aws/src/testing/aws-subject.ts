import assert from 'node:assert/strict';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, type NodeClaim, type RequirementSpec } from '@karpenter-ts/apis';
import {
  clientNodes,
  type Emulator,
  requestLimitExceeded,
  sdkHandler,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import { type CloudProvider, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import type { Demand, Subject, TestHooks } from '@karpenter-ts/cloudprovider/testing';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { findCause, SECOND, type VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { createAwsApis } from '../clients/create-aws-apis.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import {
  amiOf,
  CLUSTER_CA,
  CLUSTER_ENDPOINT,
  type ConformanceCloud,
  conformanceSubject,
  REGION,
} from './conformance-subject.ts';
import { ProviderEnvironment } from './provider-environment.ts';

const CLUSTER_NAME = 'conformance';
const PROFILE = 'conformance';
const INSTANCE_TYPES = ['m5.large', 'm5.xlarge', 'm6g.large', 'm6i.large'];

/** What the provider asks of EC2 that can be refused for a while, by method. */
const REQUESTS = { create: 'CreateFleet', delete: 'TerminateInstances', list: 'DescribeInstances' };

/** The provider on the emulator, with instances that boot, for one test of the conformance kit. */
export async function awsSubject(): Promise<Subject> {
  const env = new ProviderEnvironment();
  const emulator = await startEmulator({ clock: env.clock, seed: 1, region: REGION, instanceTypes: INSTANCE_TYPES });
  emulator.ec2.setTiming({ visible: [0, 0] }); // what the kit launches it looks for at once
  emulator.eks.addCluster({ name: CLUSTER_NAME, endpoint: CLUSTER_ENDPOINT });
  emulator.bootInto({
    nodes: clientNodes(env.client),
    cluster: {
      name: CLUSTER_NAME,
      endpoint: CLUSTER_ENDPOINT,
      certificateAuthority: Buffer.from(CLUSTER_CA).toString('base64'),
    },
  });
  emulator.iam.addInstanceProfile(PROFILE);
  await env.clock.advance(10 * SECOND); // until EC2 knows of it
  const handler = sdkHandler(emulator) as never;
  const subject = await conformanceSubject(env, {
    clusterName: CLUSTER_NAME,
    connect: (settings) => createAwsApis({ ...settings, handler }),
    family: 'AL2023',
    network: networkOf(emulator),
    amis: addImages(emulator, 'v20260101'),
    instanceProfile: PROFILE,
    stop: () => emulator.stop(),
  });
  const { provider, makeNodeClaim } = subject;
  const hooks: TestHooks = {
    ...subject.hooks,
    exhaust: async () => {
      emulator.ec2.setCapacity({}, 0);
      await failEverywhere(provider, makeNodeClaim, env.clock);
    },
    throttle: async (method) => {
      emulator.faults.inject(requestLimitExceeded, { operation: REQUESTS[method], times: 1 });
    },
    drift: async () => {
      await env.change(EC2_NODE_CLASSES, 'default', { status: { amis: addImages(emulator, 'v20260202') } });
    },
    findNode: async (providerId) =>
      (await env.client.listAll<Node>(NODES)).items.find(({ spec }) => spec?.providerID === providerId),
  };
  return { ...subject, hooks };
}

/** That there is no capacity shows only to those who ask for it. */
async function failEverywhere(
  provider: CloudProvider,
  makeClaim: (demand: Demand) => Promise<NodeClaim>,
  clock: VirtualClock,
): Promise<void> {
  for (const type of INSTANCE_TYPES) {
    for (const capacityType of ['spot', 'on-demand']) {
      const requirements = [isOneOf(INSTANCE_TYPE_LABEL, type), isOneOf(CAPACITY_TYPE_LABEL, capacityType)];
      const creating = provider.create(await makeClaim({ requirements }), NEVER);
      await assert.rejects(
        clock.runUntil(creating),
        (error) => findCause(error, InsufficientCapacityError) !== undefined,
      );
    }
  }
}

function isOneOf(key: string, value: string): RequirementSpec {
  return { key, operator: 'In', values: [value] };
}

function networkOf({ ec2 }: Emulator): ConformanceCloud['network'] {
  const { subnetIds, securityGroupId } = ec2.addClusterNetwork({ cluster: CLUSTER_NAME });
  const subnets = Object.entries(subnetIds).map(([zone, id]) => ({
    id,
    zone,
    zoneID: `use1-az${zone.charCodeAt(9) - 96}`,
  }));
  return { subnets, securityGroups: [{ id: securityGroupId }] };
}

function addImages({ ec2 }: Emulator, release: string): ConformanceCloud['amis'] {
  return (['x86_64', 'arm64'] as const).map((architecture) => {
    const name = `amazon-eks-node-al2023-${architecture}-standard-1.35-${release}`;
    return amiOf(ec2.addImage({ name, architecture }), architecture);
  });
}
