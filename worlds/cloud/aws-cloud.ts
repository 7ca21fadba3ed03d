import {
  clientNodes,
  type ClusterNetwork,
  type Ec2Instance,
  type Emulator,
  type PublishedImage,
  sdkHandler,
  type SdkHandler,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import type { ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import type { Cluster } from '@karpenter-ts/embedded';
import { configureAws } from '@karpenter-ts/provider-aws';
import { createAwsApis } from '@karpenter-ts/provider-aws/parts';
import { type Clock, defaultsOf, Metrics, nullLogger, realClock, SECOND } from '@karpenter-ts/runtime';
import { awsModule } from '@karpenter-ts/provider-aws';
import { type AwsFault, awsFaultOf, type AwsOperation } from '../faults/aws-fault.ts';
import type { AwsPool } from '../plan/aws-step.ts';
import type { Decorator } from './cloud.ts';
import { MessageCourier, type SentMessage } from './message-courier.ts';

export const CLUSTER = 'worlds';
export const ROLES = ['node', 'node-2'] as const;
/** Enough to choose from, and few enough to be described at once. */
export const AWS_TYPES: readonly string[] = ['m5.large', 'm5.xlarge', 'm5.2xlarge', 'm6g.xlarge', 'm6i.2xlarge'];
export const AWS_ZONES: readonly string[] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

const REGION = 'us-east-1';
const QUEUE = 'interruptions';
const ENDPOINT = 'https://cluster.example';
const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
const KUBERNETES = '1.35';
const USUAL_VISIBILITY = [200, 1500] as const;

/** All services are at one place that no network reaches. */
const ENVIRONMENT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'AKIAWORLDS',
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_ENDPOINT_URL: 'http://aws.invalid',
};
const PROCESS = { env: ENVIRONMENT, version: 'worlds', readClusterCa: () => Promise.resolve(CA) };
const OPTIONS = {
  ...defaultsOf(awsModule.options),
  clusterName: CLUSTER,
  clusterEndpoint: ENDPOINT,
  interruptionQueue: QUEUE,
};

export const [EC2_NODE_CLASSES] = configureAws(OPTIONS, PROCESS).nodeClasses as [
  ConfiguredProvider['nodeClasses'][number],
];

interface AwsCloudDeps {
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly seed: number;
  readonly tell: (text: string) => void;
  /** Told of each message about an instance. */
  readonly onMessage: (message: SentMessage) => void;
  /** Told of each fault that an operator meets. */
  readonly onFault: () => void;
}

/** An account of AWS with the network, the roles and the queue of one cluster, whose instances boot and join it. */
export class AwsCloud {
  readonly emulator: Emulator;
  readonly network: ClusterNetwork;
  readonly courier: MessageCourier;
  readonly #deps: AwsCloudDeps;
  readonly #handler: SdkHandler;
  #images: readonly PublishedImage[] = [];
  #releases = 0;
  #launchesToInterrupt: number[] = []; // the age at which each is
  #injectedCount = 0;

  private constructor(emulator: Emulator, deps: AwsCloudDeps) {
    this.emulator = emulator;
    this.#deps = deps;
    this.#handler = undated(sdkHandler(emulator));
    this.network = emulator.ec2.addClusterNetwork({ cluster: CLUSTER, zones: AWS_ZONES });
    const { clock, onMessage } = deps;
    this.courier = new MessageCourier({ clock, onMessage, send: (body) => emulator.sqs.send(QUEUE, body) });
  }

  static async open(deps: AwsCloudDeps): Promise<AwsCloud> {
    const { cluster, clock, seed } = deps;
    const emulator = await startEmulator({ clock, seed, region: REGION, instanceTypes: AWS_TYPES });
    const cloud = new AwsCloud(emulator, deps);
    emulator.eks.addCluster({ name: CLUSTER, endpoint: ENDPOINT });
    emulator.sqs.addQueue(QUEUE);
    emulator.eventBridge.addTarget(emulator.place, (body) => cloud.courier.take(body));
    for (const role of ROLES) emulator.iam.addRole(role);
    const certificateAuthority = Buffer.from(CA).toString('base64');
    emulator.bootInto({
      nodes: clientNodes(cluster.client),
      cluster: { name: CLUSTER, endpoint: ENDPOINT, certificateAuthority },
    });
    emulator.ec2.onInstance((instance) => cloud.#onInstance(instance));
    cloud.releaseImages();
    return cloud;
  }

  /** The real provider, as one operator has it. */
  provider(connection: SdkHandler, decorate: Decorator): ConfiguredProvider {
    const handler = connection as never; // the SDK's own types of requests
    const configured = configureAws(OPTIONS, PROCESS, (settings) => createAwsApis({ ...settings, handler }));
    return {
      ...configured,
      create: async (deps) => {
        const parts = await configured.create(deps);
        return { ...parts, provider: decorate(parts.provider) };
      },
    };
  }

  /** Without any fault of this world in between but those on the wire. */
  get handler(): SdkHandler {
    return this.#handler;
  }

  /** How many requests have failed so far. */
  get injectedCount(): number {
    return this.#injectedCount;
  }

  /** Those that cost something, the oldest first. */
  get living(): readonly Ec2Instance[] {
    return this.emulator.ec2.instances().filter(({ state }) => state === 'pending' || state === 'running');
  }

  get queueSize(): number {
    return this.emulator.sqs.size(QUEUE);
  }

  sendStray(body: string): void {
    this.emulator.sqs.send(QUEUE, body);
  }

  breakCalls(operation: AwsOperation, fault: AwsFault, times: number): void {
    const when = (): boolean => {
      this.#met(`${operation} meets ${fault}`);
      return true;
    };
    this.emulator.faults.inject(awsFaultOf(fault, operation), { operation, times, when });
  }

  /** Returns how to end it. */
  refuseIam(): () => void {
    const fault = { kind: 'refuse', code: 'AccessDenied', message: 'not now', status: 403 } as const;
    const when = (): boolean => {
      this.#met('IAM refuses');
      return true;
    };
    return this.emulator.faults.inject(fault, { service: 'iam', when });
  }

  /** Returns how to end it. */
  exhaust(pool: AwsPool): () => void {
    const { ec2 } = this.emulator;
    ec2.setCapacity(pool, 0);
    return () => ec2.setCapacity(pool, Number.POSITIVE_INFINITY);
  }

  /** Returns how to end it. */
  takeAddresses(zone: string): () => void {
    const { ec2 } = this.emulator;
    const subnet = this.network.subnetIds[zone]!;
    ec2.setFreeAddresses(subnet, 0);
    return () => ec2.setFreeAddresses(subnet, 4000);
  }

  /** Returns how to end it. */
  showLate(most: number): () => void {
    const { ec2 } = this.emulator;
    ec2.setTiming({ visible: [USUAL_VISIBILITY[0], most] });
    return () => ec2.setTiming({ visible: USUAL_VISIBILITY });
  }

  /** The next spot instances are taken back when they are so old. */
  interruptLaunches(age: number, times: number): void {
    this.#launchesToInterrupt.push(...Array.from({ length: times }, () => age));
  }

  /** AWS publishes new images, which the parameters of the recommended ones name from now on. */
  releaseImages(deprecates = false): void {
    const { clock } = this.#deps;
    if (deprecates) for (const { id } of this.#images) this.emulator.ec2.setImage(id, { deprecatedAt: clock.now() });
    this.#releases++;
    this.#images = this.emulator.publishNodeImages({
      kubernetes: KUBERNETES,
      version: `v202601${String(this.#releases).padStart(2, '0')}`,
      bottlerocket: `1.${50 + this.#releases}.0`,
    });
  }

  /** Nothing goes wrong from now on. */
  heal(): void {
    this.emulator.faults.liftAll();
    this.courier.heal();
    this.#launchesToInterrupt = [];
  }

  stop(): Promise<void> {
    return this.emulator.stop();
  }

  #met(what: string): void {
    this.#injectedCount++;
    this.#deps.tell(what);
    this.#deps.onFault();
  }

  #onInstance({ id, state, lifecycle, instanceType, zone, stateReason }: Ec2Instance): void {
    const { clock, tell } = this.#deps;
    const why = stateReason === undefined ? '' : `, ${stateReason.code}`;
    tell(`instance ${id} is ${state}: ${instanceType} in ${zone.name}, ${lifecycle}${why}`);
    if (state !== 'pending' || lifecycle !== 'spot') return;
    const age = this.#launchesToInterrupt.shift();
    if (age === undefined) return;
    clock.after(age, () => {
      tell(`instance ${id} is interrupted at the age of ${age / SECOND} s`);
      this.emulator.ec2.interrupt(id);
    });
  }
}

/**
 * Answers do not say when they were given: the SDK compares that with the real time of this host, and asks again after it has
 * set its clock by it.
 */
function undated(handler: SdkHandler): SdkHandler {
  return {
    handle: async (request, options) => {
      const { response } = await handler.handle(request, options);
      const headers = Object.fromEntries(Object.entries(response.headers).filter(([name]) => name !== 'date'));
      return { response: { ...response, headers } };
    },
  };
}

const PRICED_REGION = [{ Type: 'TERM_MATCH' as const, Field: 'regionCode', Value: REGION }];
const PARAMETER = '/worlds/image';

let warming: Promise<void> | undefined;

/**
 * The SDK and the provider load parts of themselves when they are first used, and the SDK reads files. A virtual clock does
 * not wait for that, so that it must be over before a world begins.
 */
export function warmUpAws(): Promise<void> {
  warming ??= loadAll();
  return warming;
}

async function loadAll(): Promise<void> {
  const clock = realClock;
  const emulator = await startEmulator({ clock, seed: 1, region: REGION, instanceTypes: AWS_TYPES });
  emulator.eks.addCluster({ name: CLUSTER, endpoint: ENDPOINT });
  emulator.sqs.addQueue(QUEUE);
  emulator.ssm.put(PARAMETER, 'ami-1');
  emulator.iam.addInstanceProfile(CLUSTER);
  const stopping = new AbortController();
  const deps = { clock, logger: nullLogger, metrics: new Metrics(clock), random: () => 0, version: 'worlds' };
  const handler = sdkHandler(emulator) as never;
  const { apis, close } = await createAwsApis({ ...deps, env: ENVIRONMENT, handler });
  const { signal } = stopping;
  await Promise.all([
    apis.ec2.describeSubnets({}, signal),
    apis.eks.describeCluster({ name: CLUSTER }, signal),
    apis.ssm.getParameter({ Name: PARAMETER }, signal),
    apis.sqs.getQueueUrl({ QueueName: QUEUE }, signal),
    apis.pricing.getProducts({ ServiceCode: 'AmazonEC2', Filters: PRICED_REGION }, signal),
    apis.iam.listInstanceProfiles({}, signal),
  ]);
  close();
  // Loads the provider, which then finds no AWS.
  const unreachable = configureAws(OPTIONS, PROCESS, () => Promise.reject(new Error('only to load it')));
  await unreachable.create({ ...deps, stopping: signal } as never).catch(() => undefined);
  await emulator.stop();
}
