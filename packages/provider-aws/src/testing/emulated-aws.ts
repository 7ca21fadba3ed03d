import type { TestContext } from 'node:test';
import type { RequestLaunchTemplateData } from '@aws-sdk/client-ec2';
import {
  type ClusterNetwork,
  type Emulator,
  type EmulatorOptions,
  sdkHandler,
  startEmulator,
} from '@karpenter-ts/aws-emulator';
import { Metrics, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, type RecordingLogger, recordingLogger } from '@karpenter-ts/runtime/testing';
import type { AwsApis } from '../api/aws-apis.ts';
import { createAwsApis } from '../clients/create-aws-apis.ts';

export const EMULATED_CLUSTER = 'test-cluster';
export const EMULATED_ZONE = 'us-east-1a';

const ENV = { AWS_REGION: 'us-east-1', AWS_ACCESS_KEY_ID: 'AKIAEXAMPLE', AWS_SECRET_ACCESS_KEY: 'secret' };

const TAGS = {
  'karpenter.sh/nodepool': 'default',
  'karpenter.k8s.aws/ec2nodeclass': 'default',
  'eks:eks-cluster-name': EMULATED_CLUSTER,
};

/** AWS in this process, asked through AWS' own clients, with the network of a cluster and an image, in virtual time. */
export class EmulatedAws {
  readonly clock: VirtualClock;
  readonly metrics: Metrics;
  readonly logger: RecordingLogger = recordingLogger();
  readonly emulator: Emulator;
  readonly apis: AwsApis;
  readonly network: ClusterNetwork;
  readonly image: string;
  /** Aborted when the test ends. */
  readonly stopping: AbortSignal;
  #templates = 0;

  private constructor(parts: Pick<EmulatedAws, 'clock' | 'emulator' | 'apis' | 'stopping'>) {
    const { clock, emulator } = parts;
    this.clock = clock;
    this.metrics = new Metrics(clock);
    this.emulator = emulator;
    this.apis = parts.apis;
    this.stopping = parts.stopping;
    this.network = emulator.ec2.addClusterNetwork({ cluster: EMULATED_CLUSTER });
    this.image = emulator.ec2.addImage({ name: 'al2023-x86', architecture: 'x86_64' });
  }

  static async start(
    t: TestContext,
    clock: VirtualClock = new VirtualClock(),
    options: Pick<EmulatorOptions, 'instanceTypes' | 'onRequest'> = {},
  ): Promise<EmulatedAws> {
    const emulator = await startEmulator({ clock, seed: 1, ...options });
    const { apis, close } = await createAwsApis({
      env: ENV,
      clock,
      logger: recordingLogger(),
      metrics: new Metrics(clock),
      version: '1.14.1',
      handler: sdkHandler(emulator),
      random: () => 0,
    });
    const stopping = new AbortController();
    t.after(async () => {
      stopping.abort();
      close();
      await emulator.stop();
    });
    await apis.ec2.describeSubnets({}, NEVER); // the SDK reads its files of settings, which a virtual clock does not await
    return new EmulatedAws({ clock, emulator, apis, stopping: stopping.signal });
  }

  /** The result of calls, whatever time they need. */
  settle<T>(work: Promise<T>): Promise<T> {
    return this.clock.runUntil(work);
  }

  /** Launches one m5.large of the cluster, and returns its id once EC2 tells of it. */
  async launch(data: RequestLaunchTemplateData = {}): Promise<string> {
    const name = `template-${this.#templates++}`;
    const { ec2 } = this.apis;
    const LaunchTemplateData = { ImageId: this.image, SecurityGroupIds: [this.network.securityGroupId], ...data };
    await this.settle(ec2.createLaunchTemplate({ LaunchTemplateName: name, LaunchTemplateData }, NEVER));
    const SubnetId = this.network.subnetIds[EMULATED_ZONE];
    const Tags = Object.entries(TAGS).map(([Key, Value]) => ({ Key, Value }));
    const { Instances, Errors } = await this.settle(
      ec2.createFleet(
        {
          Type: 'instant',
          TargetCapacitySpecification: { TotalTargetCapacity: 1, DefaultTargetCapacityType: 'on-demand' },
          LaunchTemplateConfigs: [
            {
              LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
              Overrides: [{ InstanceType: 'm5.large', SubnetId, AvailabilityZone: EMULATED_ZONE }],
            },
          ],
          TagSpecifications: [{ ResourceType: 'instance', Tags }],
        },
        NEVER,
      ),
    );
    const id = Instances?.[0]?.InstanceIds?.[0];
    if (id === undefined) throw new Error(`nothing was launched: ${JSON.stringify(Errors)}`);
    await this.clock.advance(15 * SECOND);
    return id;
  }
}
