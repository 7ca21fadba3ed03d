import type { TestContext } from 'node:test';
import { type Condition, findCondition, type Node, NODES } from '@karpenter-ts/kubernetes';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, type Result, VirtualClock } from '@karpenter-ts/runtime';
import type { OperatorOptions } from '../../options/operator-options.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { registrationHealthController } from '../../nodepool/registration-health.ts';
import { NodePoolHealth } from '../../state/nodepool-health.ts';
import { makeNode, makeNodeClaim, makeNodeClass, makeNodePool, NODE_CLASSES } from '../../testing/objects.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';
import { NodeClaimDeletions, nodeClaimsDisrupted } from '../deletions.ts';
import { lifecycleController } from '../lifecycle/controller.ts';

interface NodeClaimEnvironmentSettings extends FakeSettings {
  readonly options?: Partial<OperatorOptions>;
  readonly launchTimeout?: number;
}

/** An environment with the NodePool `default`, for tests of a NodeClaim's life. The NodeClaim is `c1` unless named. */
export async function startNodeClaimEnvironment(
  t: TestContext,
  settings: NodeClaimEnvironmentSettings = {},
): Promise<NodeClaimEnvironment> {
  const env = new NodeClaimEnvironment(settings);
  await env.startWith(t);
  await env.create(NODE_CLASSES, makeNodeClass());
  env.pool = await env.create(NODE_POOLS, env.pool);
  return env;
}

export class NodeClaimEnvironment extends TestEnvironment<FakeCloudProvider> {
  pool: NodePool = makeNodePool('default');
  readonly deletions: NodeClaimDeletions;
  readonly nodePoolHealth: NodePoolHealth;
  readonly lifecycle: Controller;
  readonly registrationHealth: Controller;

  constructor({ options = {}, launchTimeout, ...fake }: NodeClaimEnvironmentSettings) {
    const clock = new VirtualClock();
    super({ clock, options, provider: new FakeCloudProvider({ clock, ...fake }) });
    this.deletions = new NodeClaimDeletions(this);
    this.nodePoolHealth = new NodePoolHealth(this.caches);
    const { deletions, nodePoolHealth } = this;
    this.lifecycle = lifecycleController({
      ...(this as ControllerDeps),
      ...(launchTimeout !== undefined && { launchTimeout }),
      deletions,
      nodePoolHealth,
    });
    this.registrationHealth = registrationHealthController({ ...(this as ControllerDeps), nodePoolHealth });
  }

  /** Creates a NodeClaim of the NodePool. */
  async addNodeClaim(parts: Parameters<typeof makeNodeClaim>[1] = {}, name = 'c1'): Promise<NodeClaim> {
    return this.create(NODE_CLAIMS, makeNodeClaim(name, { pool: this.pool, ...parts }));
  }

  /** Creates the Node of a launched NodeClaim, as it joins the cluster. */
  async addNode(
    parts: Parameters<typeof makeNode>[1] = {},
    nodeClaim = 'c1',
    name = `node-of-${nodeClaim}`,
  ): Promise<Node> {
    const providerID = (await this.nodeClaim(nodeClaim)).status?.providerID ?? '';
    const node = makeNode(name, { providerID, ...parts });
    const { client, clock } = this;
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', ...node });
    // The API server taints every new Node as not ready, and another controller takes that off.
    const body = { spec: { taints: node.spec?.taints ?? null } };
    const joined = await client.patch<Node>(NODES, { name }, { type: 'merge', body });
    await clock.flush();
    return joined;
  }

  /** One pass of the lifecycle controller. */
  pass(name = 'c1'): Promise<Result> {
    return this.reconcile(this.lifecycle, name);
  }

  /** Creates a NodeClaim whose Node is registered and, by default, initialised. */
  async addRegistered(
    parts: Parameters<typeof makeNodeClaim>[1] = {},
    node: Parameters<typeof makeNode>[1] = {},
  ): Promise<NodeClaim> {
    await this.addNodeClaim(parts);
    await this.pass();
    await this.addNode(node);
    await this.pass();
    return this.nodeClaim();
  }

  nodeClaim(name = 'c1'): Promise<NodeClaim> {
    return this.get(NODE_CLAIMS, name);
  }

  findNodeClaim(name = 'c1'): Promise<NodeClaim | undefined> {
    return this.find(NODE_CLAIMS, name);
  }

  node(name = 'node-of-c1'): Promise<Node> {
    return this.get(NODES, name);
  }

  async condition(type: string, name = 'c1'): Promise<Condition | undefined> {
    return findCondition(await this.nodeClaim(name), type);
  }

  /** The NodePool's condition `NodeRegistrationHealthy`, after a pass of its controller. */
  async poolHealth(): Promise<Condition | undefined> {
    await this.reconcile(this.registrationHealth, this.pool.metadata.name);
    return findCondition(await this.get<NodePool>(NODE_POOLS, this.pool.metadata.name), 'NodeRegistrationHealthy');
  }

  /** How many NodeClaims of the NodePool were deleted for this reason. */
  disrupted(reason: string, capacity_type = ''): number {
    const labels = { reason, nodepool: this.pool.metadata.name, capacity_type };
    return this.metrics.find(nodeClaimsDisrupted, labels) ?? 0;
  }

  /** The messages of the log lines, in order. */
  lines(level?: 'debug' | 'info' | 'error'): readonly string[] {
    return this.logger.lines.filter((line) => level === undefined || line.level === level).map((line) => line.message);
  }

  /** Reasons of published events. */
  eventReasons(): readonly string[] {
    return this.published.map(({ reason }) => reason);
  }
}
