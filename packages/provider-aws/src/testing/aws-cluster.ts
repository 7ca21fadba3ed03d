// A whole cluster on EC2 in one process and in virtual time: the embedded control plane, the emulator of AWS with
// instances that boot, and the operator with this provider.
import type { TestContext } from 'node:test';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import {
  customResourceDefinition,
  type EC2NodeClass,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  type NodePool,
  RESOURCES,
} from '@karpenter-ts/apis';
import {
  clientNodes,
  type ClusterNetwork,
  type Emulator,
  type EmulatorOptions,
  type InstanceBoots,
  sdkHandler,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import { createOperator, operatorOptions } from '@karpenter-ts/core';
import { metricsPage } from '@karpenter-ts/core/testing';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import {
  type ApiObject,
  apiVersionOf,
  DEPLOYMENTS,
  isTrue,
  type Node,
  NODES,
  type Pod,
  PODS,
  READY,
  type ResourceType,
  type Taint,
} from '@karpenter-ts/kubernetes';
import { type Client, defaultsOf, isNotFound, Metrics, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { type RecordingLogger, recordingLogger } from '@karpenter-ts/runtime/testing';
import { createAwsApis } from '../clients/create-aws-apis.ts';
import { configureAws } from '../module.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { awsOptions, type AwsOptions } from '../options/options.ts';

export const REGION = 'us-east-1';
const CLUSTER_NAME = 'test';
const ENDPOINT = 'https://cluster.example';
const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const PROFILE = 'test-profile';
/** Enough to choose from; all of the region would make each test slow. */
export const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'] as const;

/** What EC2 has here unless a test says otherwise: describing hundreds of types takes most of a second. */
const INSTANCE_TYPES: readonly string[] = ['g4dn.xlarge', 'm5.large', 'm5.xlarge', 'm6g.large', 'm6i.large'];

export type Family = 'AL2' | 'AL2023' | 'Bottlerocket' | 'Windows2022' | 'Custom';

const IMAGE_NAMES: Readonly<Record<Family, (architecture: string) => string>> = {
  AL2: (architecture) => `amazon-eks-${architecture === 'arm64' ? 'arm64-' : ''}node-1.32-v20250915`,
  AL2023: (architecture) => `amazon-eks-node-al2023-${architecture}-standard-1.35-v20260101`,
  Bottlerocket: (architecture) => `bottlerocket-aws-k8s-1.35-${architecture}-v1.46.0-abcdef`,
  Windows2022: () => 'Windows_Server-2022-English-Core-EKS_Optimized-1.35-2026.01.01',
  Custom: (architecture) => `our-own-${architecture}`,
};

interface CloudParts extends Pick<EmulatorOptions, 'instanceTypes'> {
  /** Does to AWS what is to be done before the controller starts. */
  readonly prepare?: (emulator: Emulator) => void;
}

interface PoolParts {
  /** Of the NodeClass. */
  readonly spec?: object;
  readonly requirements?: readonly object[];
  readonly taints?: readonly Taint[];
  readonly template?: object;
}

interface PodParts {
  readonly requests?: Readonly<Record<string, string>>;
  readonly limits?: Readonly<Record<string, string>>;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

interface Running {
  readonly stop: () => Promise<void>;
}

/** A cluster, its cloud, and who scales it. */
export class AwsCluster {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  readonly boots: InstanceBoots;
  readonly client: Client;
  readonly logger: RecordingLogger = recordingLogger();
  /** How often each call was made of EC2 and the other services, as `ec2 CreateFleet`. */
  readonly requests: Map<string, number>;
  readonly #cluster: Cluster;
  readonly #options: Partial<AwsOptions>;
  readonly network: ClusterNetwork;
  #operator: Running | undefined;
  #metrics: Metrics | undefined;

  private constructor(parts: {
    readonly clock: VirtualClock;
    readonly emulator: Emulator;
    readonly cluster: Cluster;
    readonly requests: Map<string, number>;
    readonly options: Partial<AwsOptions>;
  }) {
    this.clock = parts.clock;
    this.emulator = parts.emulator;
    this.requests = parts.requests;
    this.#cluster = parts.cluster;
    this.#options = parts.options;
    this.client = parts.cluster.client;
    this.network = parts.emulator.ec2.addClusterNetwork({ cluster: CLUSTER_NAME, zones: ZONES });
    this.boots = parts.emulator.bootInto({
      nodes: clientNodes(parts.cluster.client),
      cluster: { name: CLUSTER_NAME, endpoint: ENDPOINT, certificateAuthority: Buffer.from(CA).toString('base64') },
    });
  }

  /** Starts all of it. */
  static async start(
    t: Pick<TestContext, 'after'>,
    options: Partial<AwsOptions> = {},
    { prepare, ...offered }: CloudParts = { instanceTypes: INSTANCE_TYPES },
  ): Promise<AwsCluster> {
    const clock = new VirtualClock();
    const requests = new Map<string, number>();
    const onRequest = (service: string, operation: string): void => {
      const call = `${service} ${operation}`;
      requests.set(call, (requests.get(call) ?? 0) + 1);
    };
    const emulator = await startEmulator({ clock, seed: 1, region: REGION, ...offered, onRequest });
    const crds = RESOURCES.aws.map(customResourceDefinition) as never;
    const cluster = await startCluster({ clock, seed: 1, crds });
    const env = new AwsCluster({ clock, emulator, cluster, requests, options });
    emulator.eks.addCluster({ name: CLUSTER_NAME, endpoint: ENDPOINT });
    t.after(() => env.stop());
    emulator.iam.addInstanceProfile(PROFILE);
    await clock.advance(10 * SECOND); // until EC2 knows of it
    if (options.interruptionQueue) await env.#addQueue(options.interruptionQueue);
    prepare?.(emulator);
    await env.startOperator();
    return env;
  }

  async stop(): Promise<void> {
    await this.stopOperator();
    await this.clock.runUntil(this.#cluster.stop());
    await this.emulator.stop();
  }

  /** A new process of the controller, which knows only what the API and AWS tell it. */
  async startOperator(): Promise<void> {
    const { clock, logger } = this;
    const metrics = new Metrics(clock);
    this.#metrics = metrics;
    const handler = sdkHandler(this.emulator) as never;
    const options = {
      ...defaultsOf(awsOptions),
      clusterName: CLUSTER_NAME,
      clusterEndpoint: ENDPOINT,
      isolatedVpc: true, // the shipped prices will do
      disableDryRun: true, // tests of launches count requests, and make them fail
      ...this.#options,
    };
    const process = { env: ENVIRONMENT, version: '0.0.0', readClusterCa: () => Promise.resolve(CA) };
    const creating = createOperator({
      options: { ...defaultsOf(operatorOptions), disableLeaderElection: true },
      provider: configureAws(options, process, (settings) => createAwsApis({ ...settings, handler })),
      transport: this.#cluster.transport,
      clock,
      logger,
      metrics,
      build: { version: 'test', commit: '' },
      random: () => 0.5,
      serves: false,
    });
    const { manager } = await clock.runUntil(creating);
    const stopping = new AbortController();
    const running = manager.start(stopping.signal);
    running.catch(() => undefined);
    this.#operator = {
      stop: async () => {
        stopping.abort();
        await clock.runUntil(running);
      },
    };
    await clock.advance(2 * SECOND);
  }

  /** The metrics of the last process, as a scraper gets them. */
  page(): Promise<string> {
    return metricsPage(this.#metrics!);
  }

  async stopOperator(): Promise<void> {
    const operator = this.#operator;
    this.#operator = undefined;
    await operator?.stop();
  }

  /** An EC2NodeClass with images of its family, which is ready, and a NodePool of the same name. */
  async addPool(name: string, family: Family, parts: PoolParts = {}): Promise<NodePool> {
    const { spec = {}, requirements = [], taints = [], template = {} } = parts;
    await this.#addNodeClass(name, family, spec);
    const nodeClassRef = { group: EC2_NODE_CLASSES.group, kind: EC2_NODE_CLASSES.kind, name };
    return this.#create<NodePool>(NODE_POOLS, {
      metadata: { name },
      spec: {
        disruption: { consolidateAfter: 'Never' },
        template: { ...template, spec: { nodeClassRef, requirements, taints, expireAfter: 'Never' } },
      },
    });
  }

  /** A pod that is for the nodes of a pool. */
  addPod(name: string, nodePool: string, parts: PodParts = {}): Promise<Pod> {
    return this.#create<Pod>(PODS, { metadata: { name, namespace: 'default' }, spec: podSpec(nodePool, parts) });
  }

  /** One such pod that is replaced when it goes. */
  addDeployment(name: string, nodePool: string, parts: PodParts = {}): Promise<ApiObject> {
    const labels = { app: name };
    const template = { metadata: { labels }, spec: podSpec(nodePool, parts) };
    return this.#create(DEPLOYMENTS, {
      metadata: { name, namespace: 'default' },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    });
  }

  async runningPods(): Promise<readonly Pod[]> {
    const { items } = await this.client.listAll<Pod>(PODS);
    return items.filter(
      ({ metadata, status }) => metadata.deletionTimestamp === undefined && status?.phase === 'Running',
    );
  }

  async nodes(): Promise<readonly Node[]> {
    return (await this.client.listAll<Node>(NODES)).items;
  }

  async nodeClaims(): Promise<readonly NodeClaim[]> {
    return (await this.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
  }

  async findPod(name: string): Promise<Pod | undefined> {
    try {
      return await this.client.get<Pod>(PODS, { name, namespace: 'default' });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  nodeClass(name: string): Promise<EC2NodeClass> {
    return this.client.get<EC2NodeClass>(EC2_NODE_CLASSES, { name });
  }

  /** The instances that cost something. */
  livingInstances() {
    return this.emulator.ec2.instances().filter(({ state }) => state === 'pending' || state === 'running');
  }

  /** Lets time pass until `check` holds, looking every second; throws after `seconds`. */
  async until(what: string, check: () => Promise<unknown>, seconds = 300): Promise<void> {
    for (let passed = 0; passed < seconds; passed++) {
      if (await check()) return;
      await this.clock.advance(1 * SECOND);
    }
    throw new Error(`not within ${seconds} s: ${what}; the log ends with ${this.#lastLines()}`);
  }

  untilRunning(pod: string, seconds?: number): Promise<void> {
    return this.until(`${pod} runs`, async () => (await this.findPod(pod))?.status?.phase === 'Running', seconds);
  }

  #lastLines(): string {
    return this.logger.lines
      .slice(-15)
      .map((line) => `\n${JSON.stringify(line)}`)
      .join('');
  }

  async #addQueue(QueueName: string): Promise<void> {
    const sqs = new SQSClient({ ...CLIENT, requestHandler: sdkHandler(this.emulator) as never });
    await this.clock.runUntil(sqs.send(new CreateQueueCommand({ QueueName })));
    this.emulator.sqs.sendEventsTo(QueueName);
  }

  async #addNodeClass(name: string, family: Family, spec: object): Promise<void> {
    const { ec2 } = this.emulator;
    const architectures = family === 'Windows2022' ? (['x86_64'] as const) : (['x86_64', 'arm64'] as const);
    const amis = architectures.map((architecture) => {
      const platform = family === 'Windows2022' ? 'windows' : 'linux';
      const id = `ami-${name}-${architecture}`;
      return ec2.addImage({ name: IMAGE_NAMES[family](architecture), architecture, platform, id });
    });
    const discovery = [{ tags: { 'karpenter.sh/discovery': CLUSTER_NAME } }];
    await this.#create<EC2NodeClass>(EC2_NODE_CLASSES, {
      metadata: { name },
      spec: {
        amiFamily: family,
        amiSelectorTerms: amis.map((id) => ({ id })),
        subnetSelectorTerms: discovery,
        securityGroupSelectorTerms: discovery,
        instanceProfile: PROFILE,
        ...spec,
      },
    });
    const isReady = async (): Promise<boolean> => isTrue(await this.nodeClass(name), READY);
    await this.until(`the NodeClass ${name} is ready`, isReady);
  }

  #create<T extends ApiObject>(type: ResourceType, object: object): Promise<T> {
    return this.client.create<T>(type, { apiVersion: apiVersionOf(type), kind: type.kind, ...object } as T);
  }
}

function podSpec(nodePool: string, { requests = { cpu: '1' }, limits = {}, nodeSelector, spec }: PodParts): object {
  return {
    nodeSelector: { 'karpenter.sh/nodepool': nodePool, ...nodeSelector },
    containers: [{ name: 'main', image: 'none', resources: { requests, limits } }],
    ...spec,
  };
}

const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
const CLIENT = { region: REGION, endpoint: 'http://aws.invalid', credentials: CREDENTIALS, maxAttempts: 1 };

/** Of the controller's process: all services are at one place that no network reaches. */
const ENVIRONMENT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_ENDPOINT_URL: CLIENT.endpoint,
};
