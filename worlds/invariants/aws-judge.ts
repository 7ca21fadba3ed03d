import { type EC2NodeClass, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import type { Ec2Instance } from '@karpenter-ts/aws-emulator';
import type { Client, Clock, Instant } from '@karpenter-ts/runtime';
import { type AwsCloud, EC2_NODE_CLASSES } from '../cloud/aws-cloud.ts';
import type { SentMessage } from '../cloud/message-courier.ts';
import type { AwsCall, AwsCallChecker } from '../faults/aws-connection.ts';
import { Belongings, profileOf } from './aws/belongings.ts';
import { instanceIdOf, Interruptions } from './aws/interruptions.ts';
import { Purchases } from './aws/purchases.ts';
import type { Violation } from './violation.ts';

interface Deps {
  readonly aws: AwsCloud;
  readonly client: Client;
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
  readonly troubledUntil: () => Instant;
  readonly knownSince: () => Instant;
}

/** What is observed of one operator beside its requests to the API server. */
export interface AwsOperatorJudge extends AwsCallChecker {
  /** To be told of each line of its log. */
  onLogLine(line: string): void;
}

interface InterruptionLine {
  readonly messageKind: string;
  readonly NodeClaim: { readonly name: string };
}

const ENDED_BY_OPERATOR = 'Client.UserInitiatedShutdown';
const RECLAIMED = 'Server.SpotInstanceTermination';

/** Judges what operators do in AWS, by their requests and by what AWS has. */
export class AwsJudge {
  readonly #deps: Deps;
  readonly #interruptions: Interruptions;
  readonly #belongings: Belongings;
  readonly #bodies = new Map<string, string>(); // of messages, by receipt handle

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#interruptions = new Interruptions(deps);
    this.#belongings = new Belongings(deps.aws, deps.clock);
    deps.aws.emulator.ec2.onInstance((instance) => void this.#onInstance(instance));
  }

  onMessage(message: SentMessage): void {
    this.#interruptions.sent(message);
  }

  /** An operator starts, which knows nothing of any other. */
  operatorStarts(isAlive: () => boolean): AwsOperatorJudge {
    const purchases = new Purchases({ ...this.#deps, isAlive });
    return {
      asking: async (call) => {
        purchases.asking(call);
        this.#belongings.asking(call);
        if (call.operation === 'DeleteMessage') await this.#forgetting(call, purchases);
      },
      told: (call, body) => {
        purchases.told(call, body);
        if (call.operation === 'ReceiveMessage') this.#received(body);
      },
      untold: (call) => purchases.untold(call),
      onLogLine: (line) => {
        if (!line.includes('"initiating delete from interruption message"')) return;
        const { messageKind, NodeClaim } = JSON.parse(line) as InterruptionLine;
        void this.#interruptions.deleted(NodeClaim.name, messageKind);
      },
    };
  }

  /** What is wrong with what AWS has now. */
  async find(): Promise<readonly Violation[]> {
    const { client } = this.#deps;
    const claims = (await client.listAll<NodeClaim>(NODE_CLAIMS)).items;
    const classes = (await client.listAll<EC2NodeClass>(EC2_NODE_CLASSES)).items;
    const inUse = [...claims.map(profileOf), ...classes.map(({ status }) => status?.instanceProfile)];
    return this.#belongings.find(new Set(inUse.filter((name) => name !== undefined)));
  }

  /** Whether AWS has told anybody that the instance ends, or that it is broken. */
  isEnding(nodeClaim: NodeClaim): boolean {
    const id = instanceIdOf(nodeClaim) ?? '';
    const instance = this.#deps.aws.emulator.ec2.findInstance(id);
    if (instance === undefined) return false;
    return this.#interruptions.isNoticed(id) || instance.impairedSince.size > 0 || instance.events.length > 0;
  }

  /** Whether AWS has anything that will go by itself. */
  get isWaiting(): boolean {
    return this.#belongings.areLeft || this.#deps.aws.queueSize > 0;
  }

  /** What is left once all pools and the NodeClass are gone. */
  findRemains(): readonly Violation[] {
    const { aws } = this.#deps;
    const instances = aws.living.map(({ id }): Violation => ({ invariant: 'leak', detail: `instance ${id} is left` }));
    return [...instances, ...this.#belongings.findAny()];
  }

  async #forgetting({ parameters }: AwsCall, purchases: Purchases): Promise<void> {
    const body = this.#bodies.get(parameters.get('ReceiptHandle') ?? '') ?? '';
    for (const id of await this.#interruptions.forgetting(body)) {
      const instance = this.#deps.aws.emulator.ec2.findInstance(id);
      if (instance?.lifecycle === 'spot') purchases.exhausted(instance.instanceType, instance.zone.name, 'spot');
    }
  }

  #received(body: string): void {
    const { Messages = [] } = JSON.parse(body || '{}') as {
      readonly Messages?: readonly { readonly ReceiptHandle?: string; readonly Body?: string }[];
    };
    for (const { ReceiptHandle = '', Body = '' } of Messages) this.#bodies.set(ReceiptHandle, Body);
  }

  async #onInstance({ id, state, stateReason }: Ec2Instance): Promise<void> {
    if (state !== 'shutting-down') return;
    if (stateReason?.code === RECLAIMED) await this.#interruptions.reclaimed(id);
    if (stateReason?.code !== ENDED_BY_OPERATOR) return;
    const claims = (await this.#deps.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
    const claim = claims.find((one) => instanceIdOf(one) === id);
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) return;
    const detail = `instance ${id} is terminated, and ${claim.metadata.name} is not being deleted`;
    this.#deps.report({ invariant: 'orphan', detail });
  }
}
