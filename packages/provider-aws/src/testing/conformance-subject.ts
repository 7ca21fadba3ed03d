import { type EC2NodeClass, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Demand, Subject } from '@karpenter-ts/cloudprovider/testing';
import { defaultsOf } from '@karpenter-ts/runtime';
import { configureAws } from '../module.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { awsOptions } from '../options/options.ts';
import type { ConnectAws } from '../start-provider.ts';
import type { ProviderEnvironment } from './provider-environment.ts';

export const REGION = 'us-east-1';
export const CLUSTER_ENDPOINT = 'https://cluster.example';
export const CLUSTER_CA = 'pem';

type Status = NonNullable<EC2NodeClass['status']>;

/** The AWS that the provider is tested on. */
export interface ConformanceCloud {
  /** Instances of other clusters are none of the provider's. */
  readonly clusterName: string;
  readonly connect: ConnectAws;
  readonly family: 'AL2' | 'AL2023';
  readonly network: Pick<Status, 'subnets' | 'securityGroups'>;
  readonly amis: NonNullable<Status['amis']>;
  readonly instanceProfile: string;
  /** Where requests go; nowhere for an AWS in the process. */
  readonly endpoint?: string;
  stop(): Promise<void>;
}

/** An image of that architecture for a NodeClass. */
export function amiOf(id: string, architecture: 'x86_64' | 'arm64'): ConformanceCloud['amis'][number] {
  const values = [architecture === 'arm64' ? 'arm64' : 'amd64'];
  return { id, requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values }] };
}

/** The provider on a cloud, with the hooks that every cloud has, for one test of the conformance kit. */
export async function conformanceSubject(env: ProviderEnvironment, cloud: ConformanceCloud): Promise<Subject> {
  const cleanUps: (() => unknown)[] = [() => cloud.stop()];
  await env.startWith({ after: (cleanUp: () => unknown) => cleanUps.push(cleanUp) } as never);
  await addNodeClass(env, cloud);
  await env.addNodePool('conformance');
  const provider = await startProvider(env, cloud, cleanUps);
  let claims = 0;
  return {
    provider,
    nodePool: env.caches.nodePools.get('conformance')!,
    makeNodeClaim: (demand) => makeNodeClaim(env, `conformance-${++claims}`, demand),
    finish: (call) => env.clock.runUntil(call),
    advance: (duration) => env.clock.advance(duration),
    hooks: {
      unreadyNodeClass: async () => {
        await env.change(EC2_NODE_CLASSES, 'default', { status: { conditions: [ready('False')] } });
      },
      removeNodeClass: () => env.delete(EC2_NODE_CLASSES, 'default'),
    },
    stop: async () => {
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    },
  };
}

async function startProvider(
  env: ProviderEnvironment,
  { clusterName, connect, endpoint = 'http://aws.invalid' }: ConformanceCloud,
  cleanUps: (() => unknown)[],
): Promise<CloudProvider> {
  const stopping = new AbortController();
  cleanUps.push(() => stopping.abort());
  const options = { ...defaultsOf(awsOptions), clusterName, clusterEndpoint: CLUSTER_ENDPOINT, isolatedVpc: true };
  const process = {
    env: {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'AKIATEST',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL: endpoint,
    },
    version: '0.0.0',
    readClusterCa: () => Promise.resolve(CLUSTER_CA),
  };
  const settings = { minValuesPolicy: 'Strict', reservedCapacity: true, nodeOverlay: false } as const;
  const deps = { ...depsOf(env), settings, random: () => 0.5, stopping: stopping.signal };
  const { provider } = await env.clock.runUntil(configureAws(options, process, connect).create(deps));
  return provider;
}

function depsOf({ client, caches, clock, logger, metrics, events, deleteNodeClaim }: ProviderEnvironment) {
  return { client, caches, clock, logger, metrics, events, deleteNodeClaim };
}

async function addNodeClass(env: ProviderEnvironment, cloud: ConformanceCloud): Promise<void> {
  const { network, amis, family, instanceProfile } = cloud;
  await env.addNodeClass('default', {
    spec: {
      amiFamily: family,
      amiSelectorTerms: amis.map(({ id }) => ({ id })),
      subnetSelectorTerms: (network.subnets ?? []).map(({ id }) => ({ id })),
      securityGroupSelectorTerms: (network.securityGroups ?? []).map(({ id }) => ({ id })),
      role: 'node',
    } as never,
    status: { amis, ...network, instanceProfile, conditions: [ready('True')] } as never,
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
