import assert from 'node:assert/strict';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  type NodeClaim,
  type RequirementSpec,
} from '@karpenter-ts/apis';
import {
  clientNodes,
  type Emulator,
  requestLimitExceeded,
  sdkHandler,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import { type CloudProvider, InsufficientCapacityError } from '@karpenter-ts/cloudprovider';
import type { Demand, Subject } from '@karpenter-ts/cloudprovider/testing';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { defaultsOf, findCause, SECOND, type VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { createAwsApis } from '../clients/create-aws-apis.ts';
import { configureAws } from '../module.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { awsOptions } from '../options/options.ts';
import { ProviderEnvironment } from './provider-environment.ts';

const REGION = 'us-east-1';
const CLUSTER_NAME = 'conformance';
const ENDPOINT = 'https://cluster.example';
const CA = 'pem';
const PROFILE = 'conformance';
const INSTANCE_TYPES = ['m5.large', 'm5.xlarge', 'm6g.large', 'm6i.large'];
const ARCHITECTURES = { x86_64: 'amd64', arm64: 'arm64' } as const;

/** What the provider asks of EC2 that can be refused for a while, by method. */
const REQUESTS = { create: 'CreateFleet', delete: 'TerminateInstances', list: 'DescribeInstances' };

/** The provider on the emulator, with instances that boot, for one test of the conformance kit. */
export async function awsSubject(): Promise<Subject> {
  const env = new ProviderEnvironment();
  const cleanUps: (() => unknown)[] = [];
  await env.startWith({ after: (cleanUp: () => unknown) => cleanUps.push(cleanUp) } as never);
  const emulator = await startEmulator({ clock: env.clock, seed: 1, region: REGION, instanceTypes: INSTANCE_TYPES });
  cleanUps.push(() => emulator.stop());
  emulator.ec2.setTiming({ visible: [0, 0] }); // what the kit launches it looks for at once
  emulator.eks.addCluster({ name: CLUSTER_NAME, endpoint: ENDPOINT });
  emulator.bootInto({
    nodes: clientNodes(env.client),
    cluster: { name: CLUSTER_NAME, endpoint: ENDPOINT, certificateAuthority: Buffer.from(CA).toString('base64') },
  });
  emulator.iam.addInstanceProfile(PROFILE);
  await env.clock.advance(10 * SECOND); // until EC2 knows of it
  await addNodeClass(env, emulator);
  await env.addNodePool('conformance');
  const provider = await startProvider(env, emulator, cleanUps);
  const { clock, client } = env;
  const patchClass = (status: object): Promise<unknown> => env.change(EC2_NODE_CLASSES, 'default', { status });
  let claims = 0;
  const makeClaim = (demand: Demand): Promise<NodeClaim> => makeNodeClaim(env, `conformance-${++claims}`, demand);
  return {
    provider,
    nodePool: env.caches.nodePools.get('conformance')!,
    makeNodeClaim: makeClaim,
    finish: (call) => clock.runUntil(call),
    advance: (duration) => clock.advance(duration),
    hooks: {
      exhaust: async () => {
        emulator.ec2.setCapacity({}, 0);
        await failEverywhere(provider, makeClaim, clock);
      },
      throttle: async (method) => {
        emulator.faults.inject(requestLimitExceeded, { operation: REQUESTS[method], times: 1 });
      },
      unreadyNodeClass: async () => void (await patchClass({ conditions: [ready('False')] })),
      removeNodeClass: () => env.delete(EC2_NODE_CLASSES, 'default'),
      drift: async () => {
        await patchClass({ amis: addImages(emulator, 'v20260202') });
      },
      findNode: async (providerId) =>
        (await client.listAll<Node>(NODES)).items.find(({ spec }) => spec?.providerID === providerId),
    },
    stop: async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    },
  };
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

async function startProvider(env: ProviderEnvironment, emulator: Emulator, cleanUps: (() => unknown)[]) {
  const stopping = new AbortController();
  cleanUps.push(() => stopping.abort());
  const options = {
    ...defaultsOf(awsOptions),
    clusterName: CLUSTER_NAME,
    clusterEndpoint: ENDPOINT,
    isolatedVpc: true,
  };
  const process = { env: ENVIRONMENT, version: '0.0.0', readClusterCa: () => Promise.resolve(CA) };
  const handler = sdkHandler(emulator) as never;
  const configured = configureAws(options, process, (settings) => createAwsApis({ ...settings, handler }));
  const settings = { minValuesPolicy: 'Strict', reservedCapacity: true, nodeOverlay: false } as const;
  const deps = { ...depsOf(env), settings, random: () => 0.5, stopping: stopping.signal };
  const { provider } = await env.clock.runUntil(configured.create(deps));
  return provider;
}

function depsOf({ client, caches, clock, logger, metrics, events, deleteNodeClaim }: ProviderEnvironment) {
  return { client, caches, clock, logger, metrics, events, deleteNodeClaim };
}

async function addNodeClass(env: ProviderEnvironment, emulator: Emulator) {
  const { subnetIds, securityGroupId } = emulator.ec2.addClusterNetwork({ cluster: CLUSTER_NAME });
  const zones = Object.entries(subnetIds);
  const amis = addImages(emulator, 'v20260101');
  await env.addNodeClass('default', {
    spec: {
      amiFamily: 'AL2023',
      amiSelectorTerms: amis.map(({ id }) => ({ id })),
      subnetSelectorTerms: [{ id: zones[0]![1] }],
      securityGroupSelectorTerms: [{ id: securityGroupId }],
      role: 'node',
    } as never,
    status: {
      amis,
      subnets: zones.map(([zone, subnet]) => ({ id: subnet, zone, zoneID: `use1-az${zone.charCodeAt(9) - 96}` })),
      securityGroups: [{ id: securityGroupId }],
      instanceProfile: PROFILE,
      conditions: [ready('True')],
    } as never,
  });
}

function addImages({ ec2 }: Emulator, release: string) {
  return (['x86_64', 'arm64'] as const).map((architecture) => {
    const name = `amazon-eks-node-al2023-${architecture}-standard-1.35-${release}`;
    const requirement = { key: 'kubernetes.io/arch', operator: 'In', values: [ARCHITECTURES[architecture]] };
    return { id: ec2.addImage({ name, architecture }), name, requirements: [requirement] };
  });
}

function ready(status: 'True' | 'False'): object {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return { type: 'Ready', status, reason: 'Ready', message: '', observedGeneration: 1, lastTransitionTime };
}

function makeNodeClaim(env: ProviderEnvironment, name: string, demand: Demand): Promise<NodeClaim> {
  const { requirements = [], requests } = demand;
  const { group, kind } = EC2_NODE_CLASSES;
  return env.create<NodeClaim>(NODE_CLAIMS, {
    metadata: { name, labels: { 'karpenter.sh/nodepool': 'conformance' } },
    spec: {
      nodeClassRef: { group, kind, name: 'default' },
      requirements,
      expireAfter: 'Never',
      ...(requests && { resources: { requests } }),
    },
  } as unknown as NodeClaim);
}

const ENVIRONMENT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'AKIATEST',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'http://aws.invalid',
};
