import { INITIALIZED_LABEL, type NodeClaim, type NodePool, NODEPOOL_LABEL } from '@karpenter-ts/apis';
import type { Node, Pod } from '@karpenter-ts/kubernetes';
import { timestamp } from '@karpenter-ts/kubernetes';
import { MINUTE, SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { Moment } from '../../observer/moment.ts';
import { ObservedCluster } from '../../observer/observed-cluster.ts';
import type { StartedCommand } from '../../observer/started-command.ts';

type Reason = StartedCommand['reason'];

/** A pod of the history, and what there is to say about it. */
interface PodTraits {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly owner?: string;
  readonly phase?: string;
}

/** A cluster whose history a test makes up, object by object. Its only pool is called `pool`. */
export class History {
  readonly clock = new VirtualClock(Date.UTC(2026, 0, 1, 12));
  readonly cluster = new ObservedCluster(this.clock);
  #generation = 0;

  setPool(disruption: object = { consolidateAfter: '0s', budgets: [] }): void {
    const metadata = { name: 'pool', uid: 'pool', generation: ++this.#generation };
    this.cluster.setNodePool('pool', { metadata, spec: { disruption } } as unknown as NodePool);
  }

  /** Nodes with their NodeClaims, of the same names. */
  addNodes(...names: readonly string[]): void {
    for (const name of names) {
      this.setNode(name);
      this.setClaim(name, 'Initialized');
    }
  }

  setNode(name: string, { ready = 'True', annotations = {} }: { ready?: string; annotations?: object } = {}): void {
    this.cluster.setNode(name, {
      metadata: { name, annotations, labels: { [NODEPOOL_LABEL]: 'pool', [INITIALIZED_LABEL]: 'true' } },
      status: { conditions: [{ type: 'Ready', status: ready }] },
    } as unknown as Node);
  }

  /** A NodeClaim of which these conditions are true. */
  setClaim(name: string, ...conditions: readonly string[]): void {
    this.setClaimWith(name, {}, ...conditions);
  }

  setClaimWith(name: string, rest: object, ...conditions: readonly string[]): void {
    const creationTimestamp = timestamp(this.clock.now());
    this.cluster.setNodeClaim(name, {
      metadata: { name, creationTimestamp, labels: { price: name }, ...rest },
      spec: { expireAfter: 'Never' },
      status: { nodeName: name, conditions: conditions.map((type) => ({ type, status: 'True' })) },
    } as unknown as NodeClaim);
  }

  addPod(
    name: string,
    nodeName: string,
    { annotations = {}, owner = 'ReplicaSet', phase = 'Running' }: PodTraits = {},
  ): void {
    this.cluster.setPod(name, {
      metadata: { name, uid: name, annotations, labels: { app: 'app' }, ownerReferences: [{ kind: owner }] },
      spec: { nodeName },
      status: { phase, startTime: timestamp(this.clock.now()) },
    } as unknown as Pod);
  }

  setPodDisruptionBudget(disruptionsAllowed: number): void {
    this.cluster.setPodDisruptionBudget('app', {
      metadata: { name: 'app' },
      spec: { selector: { matchLabels: { app: 'app' } } },
      status: { disruptionsAllowed },
    });
  }

  async pass(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds);
  }

  /** Judged by an operator whose caches are twenty seconds old at most, and whose clock has always been right. */
  moment(rest: Partial<Moment> = {}): Moment {
    const now = this.clock.now();
    return { now, since: now - 20 * SECOND, walls: [now, now - 20 * SECOND], steadySince: now - 60 * MINUTE, ...rest };
  }
}

/** A command about nodes whose NodeClaims have the same names. */
export function command(reason: Reason, nodes: readonly string[], replacementCount = 0): StartedCommand {
  return { reason, candidates: nodes.map((name) => ({ node: name, nodeClaim: name })), replacementCount };
}
