import type { TestContext } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  type EC2NodeClass,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  type NodePool,
  NODEPOOL_LABEL,
  REGISTERED_LABEL,
} from '@karpenter-ts/apis';
import type { DeleteNodeClaim } from '@karpenter-ts/cloudprovider';
import { FakeCloudProvider } from '@karpenter-ts/cloudprovider/testing';
import { TestEnvironment } from '@karpenter-ts/core/testing';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { isNotFound, VirtualClock } from '@karpenter-ts/runtime';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';

const CLASS_REF = { group: EC2_NODE_CLASSES.group, kind: EC2_NODE_CLASSES.kind, name: 'default' } as const;

interface Decorations {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: string[];
}

interface NodeClaimParts extends Decorations {
  readonly status?: NodeClaim['status'];
  readonly spec?: Partial<NodeClaim['spec']>;
}

/** An environment for the provider's controllers. The cloud is the test's own; the fake provider only names the kinds. */
export class ProviderEnvironment extends TestEnvironment<FakeCloudProvider> {
  /** The NodeClaims that were deleted, as `name: reason`. */
  readonly deleted: string[] = [];

  constructor() {
    const clock = new VirtualClock();
    super({ clock, provider: new FakeCloudProvider({ clock, nodeClasses: [EC2_NODE_CLASSES] }) });
  }

  static async start(t: TestContext): Promise<ProviderEnvironment> {
    const env = new ProviderEnvironment();
    await env.startWith(t);
    return env;
  }

  /** As core's, without its metrics. */
  readonly deleteNodeClaim: DeleteNodeClaim = async ({ metadata }, reason, signal) => {
    if (metadata.deletionTimestamp !== undefined) return 'already-deleting';
    try {
      await this.client.delete(NODE_CLAIMS, { name: metadata.name }, {}, signal);
    } catch (error) {
      if (isNotFound(error)) return 'gone';
      throw error;
    }
    this.deleted.push(`${metadata.name}: ${reason}`);
    return 'deleted';
  };

  /** A NodeClaim of the NodePool `default`, whose instance is `i-1` unless said otherwise. */
  addNodeClaim(
    name: string,
    { labels, annotations, finalizers, status, spec }: NodeClaimParts = {},
  ): Promise<NodeClaim> {
    return this.create<NodeClaim>(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name,
        labels: { [NODEPOOL_LABEL]: 'default', [CAPACITY_TYPE_LABEL]: 'on-demand', ...labels },
        ...(annotations && { annotations }),
        ...(finalizers && { finalizers }),
      },
      spec: { nodeClassRef: CLASS_REF, requirements: [], expireAfter: 'Never', ...spec },
      status: status ?? { providerID: 'aws:///us-west-2a/i-1' },
    });
  }

  /** A Node that is registered. */
  addNode(name: string, providerID: string, { labels, ...decorations }: Decorations = {}): Promise<Node> {
    return this.create<Node>(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [REGISTERED_LABEL]: 'true', ...labels }, ...decorations },
      spec: { providerID },
    });
  }

  /** A NodePool of the NodeClass of this name. */
  addNodePool(name: string, spec: Partial<NodePool['spec']['template']['spec']> = {}): Promise<NodePool> {
    return this.create<NodePool>(NODE_POOLS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name },
      spec: { template: { spec: { nodeClassRef: CLASS_REF, requirements: [], ...spec } } },
    } as unknown as NodePool);
  }

  addNodeClass(name: string, parts: Pick<EC2NodeClass, 'spec' | 'status'> = {}): Promise<EC2NodeClass> {
    return this.create<EC2NodeClass>(EC2_NODE_CLASSES, {
      apiVersion: 'karpenter.k8s.aws/v1',
      kind: 'EC2NodeClass',
      metadata: { name },
      ...parts,
    });
  }

  findNodeClaim(name: string): Promise<NodeClaim | undefined> {
    return this.find<NodeClaim>(NODE_CLAIMS, name);
  }

  /** The events, as `Kind/name reason: message`. */
  eventTexts(): readonly string[] {
    return this.published.map(
      ({ involvedObject: { kind, name }, reason, message }) => `${kind}/${name} ${reason}: ${message}`,
    );
  }
}
