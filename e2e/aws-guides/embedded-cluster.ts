// The cluster of the guides in one process and in virtual time: the embedded control plane, the emulator of AWS, and
// the operator with the AWS provider.
import { customResourceDefinition, RESOURCES } from '@karpenter-ts/apis';
import { clientNodes, type Emulator, type InstanceBoots, sdkHandler, startEmulator } from '@karpenter-ts/aws-emulator';
import { createOperator, operatorOptions } from '@karpenter-ts/core';
import { type Cluster, startCluster } from '@karpenter-ts/embedded';
import { type ApiObject, SERVICES } from '@karpenter-ts/kubernetes';
import { awsModule, configureAws } from '@karpenter-ts/provider-aws';
import { createAwsApis } from '@karpenter-ts/provider-aws/parts';
import { type Client, defaultsOf, Metrics, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { type RecordingLogger, recordingLogger } from '@karpenter-ts/runtime/testing';
import { CLUSTER_NAME, CREDENTIALS, REGION, setUpAccount } from './account.ts';
import { apply, findOutcome, type Guide, isGone, type Outcome, remove } from './guide.ts';

const ENDPOINT = 'https://demo.example';
const CA = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

export interface ClusterSettings {
  readonly ipFamily?: 'ipv4' | 'ipv6';
  readonly options?: Partial<Parameters<typeof configureAws>[0]>;
}

export class EmbeddedCluster {
  readonly clock: VirtualClock;
  readonly emulator: Emulator;
  readonly boots: InstanceBoots;
  readonly client: Client;
  readonly logger: RecordingLogger = recordingLogger();
  /** How often each call was made, as `iam CreateInstanceProfile`. */
  readonly requests: Map<string, number>;
  readonly #cluster: Cluster;
  #stopOperator: (() => Promise<void>) | undefined;

  private constructor(clock: VirtualClock, emulator: Emulator, cluster: Cluster, requests: Map<string, number>) {
    this.clock = clock;
    this.emulator = emulator;
    this.#cluster = cluster;
    this.client = cluster.client;
    this.requests = requests;
    const certificateAuthority = Buffer.from(CA).toString('base64');
    this.boots = emulator.bootInto({
      nodes: clientNodes(cluster.client),
      cluster: { name: CLUSTER_NAME, endpoint: ENDPOINT, certificateAuthority },
    });
  }

  /** With the account and an operator, but none of the manifests. */
  static async start({ ipFamily = 'ipv4', options = {} }: ClusterSettings = {}): Promise<EmbeddedCluster> {
    const clock = new VirtualClock();
    const requests = new Map<string, number>();
    const onRequest = (service: string, operation: string): void => {
      const call = `${service} ${operation}`;
      requests.set(call, (requests.get(call) ?? 0) + 1);
    };
    const emulator = await startEmulator({ clock, seed: 1, region: REGION, onRequest });
    setUpAccount(emulator, { endpoint: ENDPOINT, certificateAuthority: CA, ipFamily, now: clock.now() });
    const crds = RESOURCES.aws.map(customResourceDefinition) as never;
    const cluster = await startCluster({ clock, seed: 1, crds });
    const env = new EmbeddedCluster(clock, emulator, cluster, requests);
    await env.#addClusterDns(ipFamily === 'ipv6' ? 'fd00:10:100::a' : '10.100.0.10');
    await clock.advance(10 * SECOND); // until EC2 knows of the instance profile
    await env.#startOperator(options);
    return env;
  }

  async stop(): Promise<void> {
    await this.#stopOperator?.();
    await this.clock.runUntil(this.#cluster.stop());
    await this.emulator.stop();
  }

  /** Applies a guide and resolves with what comes of it. */
  async run(guide: Guide): Promise<Outcome> {
    await apply(this.client, guide);
    let outcome: Outcome | string = 'nothing yet';
    for (let passed = 0; passed < 300; passed++) {
      outcome = await findOutcome(this.client, this.emulator, guide);
      if (typeof outcome !== 'string') return outcome;
      await this.clock.advance(1 * SECOND);
    }
    throw new Error(`${guide.name} within five minutes: ${outcome}; the log ends with ${this.#lastLines()}`);
  }

  /** Removes it again, with its nodes. */
  async undo(guide: Guide): Promise<void> {
    await remove(this.client, guide);
    for (let passed = 0; passed < 300; passed++) {
      if (await isGone(this.client, this.emulator, guide)) return;
      await this.clock.advance(1 * SECOND);
    }
    throw new Error(`${guide.name} is not gone within five minutes; the log ends with ${this.#lastLines()}`);
  }

  async #startOperator(settings: NonNullable<ClusterSettings['options']>): Promise<void> {
    const { clock, logger } = this;
    const handler = sdkHandler(this.emulator) as never;
    const options = {
      ...defaultsOf(awsModule.options),
      clusterName: CLUSTER_NAME,
      clusterEndpoint: ENDPOINT,
      ...settings,
    };
    const process = { env: ENVIRONMENT, version: '0.0.0', readClusterCa: () => Promise.resolve(CA) };
    const creating = createOperator({
      options: { ...defaultsOf(operatorOptions), disableLeaderElection: true },
      provider: configureAws(options, process, (given) => createAwsApis({ ...given, handler })),
      transport: this.#cluster.transport,
      clock,
      logger,
      metrics: new Metrics(clock),
      build: { version: 'test', commit: '' },
      random: () => 0.5,
      serves: false,
    });
    const { manager } = await clock.runUntil(creating);
    const stopping = new AbortController();
    const running = manager.start(stopping.signal);
    running.catch(() => undefined);
    this.#stopOperator = async () => {
      stopping.abort();
      await clock.runUntil(running);
    };
    await clock.advance(2 * SECOND);
  }

  /** Which the provider looks for: its address says of which family the cluster is. */
  async #addClusterDns(clusterIP: string): Promise<void> {
    const spec = { clusterIP, clusterIPs: [clusterIP], ports: [{ port: 53, protocol: 'UDP' }] };
    const metadata = { name: 'kube-dns', namespace: 'kube-system' };
    await this.client.create<ApiObject & { readonly spec: object }>(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec,
    });
  }

  #lastLines(): string {
    return this.logger.lines
      .slice(-15)
      .map((line) => `\n${JSON.stringify(line)}`)
      .join('');
  }
}

/** Of the operator's process. No network reaches this place: the emulator answers in its stead. */
const ENVIRONMENT = {
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  AWS_ENDPOINT_URL: 'http://aws.invalid',
};
