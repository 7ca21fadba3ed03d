import type { TestContext } from 'node:test';
import { CreateQueueCommand, DeleteQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { type Emulator, sdkHandler } from '@karpenter-ts/aws-emulator';
import { type Controller, MINUTE } from '@karpenter-ts/runtime';
import type { SqsApi } from '../api/aws-apis.ts';
import { interruptionController } from '../controllers/interruption.ts';
import { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { UnavailableOfferings } from '../offerings/unavailable-offerings.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { EmulatedAws } from './emulated-aws.ts';
import { ProviderEnvironment } from './provider-environment.ts';

export const QUEUE = 'interruptions';

const CLIENT = {
  region: 'us-east-1',
  endpoint: 'http://aws.invalid',
  credentials: { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' },
  maxAttempts: 1,
};

/** The controller of the interruption queue on an emulated SQS, with NodeClaims of the test's own. */
export class QueueEnvironment {
  readonly env: ProviderEnvironment;
  readonly emulator: Emulator;
  readonly sqs: SqsApi;
  readonly controller: Controller;
  readonly #client: SQSClient;

  private constructor(env: ProviderEnvironment, aws: EmulatedAws) {
    this.env = env;
    this.emulator = aws.emulator;
    this.sqs = aws.apis.sqs;
    this.#client = new SQSClient({ ...CLIENT, requestHandler: sdkHandler(aws.emulator) as never });
    const unavailable = new UnavailableOfferings(env);
    const reservations = new ReservationCounts(env.clock);
    const nodeClaims = new NodeClaimsByInstance(env.caches.nodeClaims);
    const { client, caches, clock, logger, metrics, events, deleteNodeClaim } = env;
    const ofProcess = { client, caches, clock, logger, metrics, events, deleteNodeClaim };
    const { sqs } = this;
    this.controller = interruptionController({
      ...ofProcess,
      sqs,
      queueName: QUEUE,
      nodeClaims,
      unavailable,
      reservations,
    });
  }

  /** With the queue, unless it is to be created later. */
  static async start(t: TestContext, { withQueue = true } = {}): Promise<QueueEnvironment> {
    const env = await ProviderEnvironment.start(t);
    const own = new QueueEnvironment(env, await EmulatedAws.start(t, env.clock));
    if (withQueue) await own.createQueue();
    return own;
  }

  /** As docs/interruption.md says to create it. */
  async createQueue(): Promise<void> {
    const Attributes = { MessageRetentionPeriod: '300' };
    await this.env.clock.runUntil(this.#client.send(new CreateQueueCommand({ QueueName: QUEUE, Attributes })));
  }

  /** And waits until a queue of its name can be created again. */
  async deleteQueue(): Promise<void> {
    const { account, region } = this.emulator.place;
    const QueueUrl = `https://sqs.${region}.amazonaws.com/${account}/${QUEUE}`;
    await this.env.clock.runUntil(this.#client.send(new DeleteQueueCommand({ QueueUrl })));
    await this.env.clock.advance(1 * MINUTE);
  }

  /** One NodeClaim for each id, named after it. */
  async addInstances(...ids: readonly string[]): Promise<void> {
    for (const id of ids) {
      await this.env.addNodeClaim(`claim-of-${id}`, { status: { providerID: `aws:///us-east-1a/${id}` } });
    }
  }

  send(...bodies: readonly string[]): void {
    for (const body of bodies) this.emulator.sqs.send(QUEUE, body);
  }

  /** How many messages there are, those included that are hidden. */
  get size(): number {
    return this.emulator.sqs.size(QUEUE);
  }

  /** One pass of the controller, without the others. */
  async pass(): Promise<void> {
    await this.env.reconcile(this.controller, '');
  }

  /** The texts of log lines of this level. */
  lines(level: 'debug' | 'info' | 'error'): readonly string[] {
    return this.env.logger.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** The inputs of the requests that SQS gets from now on. */
  requestsOf(operation: string): readonly object[] {
    const inputs: object[] = [];
    const when = (input: object): boolean => {
      inputs.push(input);
      return false;
    };
    this.emulator.faults.inject({ kind: 'slow', delay: 0 }, { service: 'sqs', operation, when });
    return inputs;
  }
}

/** A warning as EventBridge sends it. */
export function spotWarning(instanceId: string, time = '2026-01-01T00:00:00Z'): string {
  return JSON.stringify({
    version: '0',
    id: '7b1d',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    source: 'aws.ec2',
    account: '111122223333',
    time,
    region: 'us-east-1',
    resources: [`arn:aws:ec2:us-east-1:111122223333:instance/${instanceId}`],
    detail: { 'instance-id': instanceId, 'instance-action': 'terminate' },
  });
}
