import type { TestContext } from 'node:test';
import { type Condition, findCondition, NODES } from '@karpenter-ts/kubernetes';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import { type Controller, type Result, VirtualClock } from '@karpenter-ts/runtime';
import type { OperatorOptions } from '../../options/operator-options.ts';
import type { Core } from '../../state/controller-deps.ts';
import type { Node } from '../../kinds/node.ts';
import { registrationHealthController } from '../../nodepool/registration-health.ts';
import { RegistrationHealth } from '../../state/nodepool-health.ts';
import { makeNode, makeNodeClaim, makeNodeClass, makeNodePool, NODE_CLASSES } from '../../testing/objects.ts';
import { type Rig, startRig } from '../../testing/rig.ts';
import { NodeClaimDeletions, nodeClaimsDisrupted } from '../deletions.ts';
import { lifecycleController } from '../lifecycle/controller.ts';
import type { LifecycleDeps } from '../lifecycle/step.ts';

interface WorldSettings extends FakeSettings {
  readonly options?: Partial<OperatorOptions>;
  readonly launchTimeout?: number;
}

/** A rig with the pool `default`, and what a test of a claim's life does with it. The claim is `c1` unless named. */
export async function startClaimWorld(t: TestContext, settings: WorldSettings = {}): Promise<ClaimWorld> {
  const { options = {}, launchTimeout, ...fake } = settings;
  const clock = new VirtualClock();
  const rig = await startRig(t, { clock, options, provider: new FakeCloudProvider({ clock, ...fake }) });
  await rig.create(NODE_CLASSES, makeNodeClass());
  const pool = await rig.create(NODE_POOLS, makeNodePool('default'));
  return new ClaimWorld(rig, pool, launchTimeout === undefined ? {} : { launchTimeout });
}

export class ClaimWorld {
  readonly rig: Rig<FakeCloudProvider>;
  readonly pool: NodePool;
  readonly deletions: NodeClaimDeletions;
  readonly health: RegistrationHealth;
  readonly lifecycle: Controller;
  readonly healthController: Controller;

  constructor(rig: Rig<FakeCloudProvider>, pool: NodePool, deps: Pick<LifecycleDeps, 'launchTimeout'>) {
    this.rig = rig;
    this.pool = pool;
    this.deletions = new NodeClaimDeletions(rig);
    this.health = new RegistrationHealth(rig.caches);
    const core: Core = rig;
    this.lifecycle = lifecycleController({ ...core, ...deps, deletions: this.deletions, health: this.health });
    this.healthController = registrationHealthController({ ...core, health: this.health });
  }

  /** A new claim of the pool. */
  async addClaim(parts: Parameters<typeof makeNodeClaim>[1] = {}, name = 'c1'): Promise<NodeClaim> {
    return this.rig.create(NODE_CLAIMS, makeNodeClaim(name, { pool: this.pool, ...parts }));
  }

  /** The Node of a launched claim's machine, as it joins. */
  async addNode(parts: Parameters<typeof makeNode>[1] = {}, claim = 'c1', name = `node-of-${claim}`): Promise<Node> {
    const providerID = (await this.claim(claim)).status?.providerID ?? '';
    const node = makeNode(name, { providerID, ...parts });
    const { client, clock } = this.rig;
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', ...node });
    // The API server taints every new Node as not ready, and another controller takes that off.
    const body = { spec: { taints: node.spec?.taints ?? null } };
    const joined = await client.patch<Node>(NODES, { name }, { type: 'merge', body });
    await clock.settle();
    return joined;
  }

  /** One pass of the lifecycle. */
  pass(name = 'c1'): Promise<Result> {
    return this.rig.reconcile(this.lifecycle, name);
  }

  /** A claim whose Node is registered and, unless told otherwise, initialized. */
  async addRegistered(
    parts: Parameters<typeof makeNodeClaim>[1] = {},
    node: Parameters<typeof makeNode>[1] = {},
  ): Promise<NodeClaim> {
    await this.addClaim(parts);
    await this.pass();
    await this.addNode(node);
    await this.pass();
    return this.claim();
  }

  claim(name = 'c1'): Promise<NodeClaim> {
    return this.rig.get(NODE_CLAIMS, name);
  }

  findClaim(name = 'c1'): Promise<NodeClaim | undefined> {
    return this.rig.find(NODE_CLAIMS, name);
  }

  node(name = 'node-of-c1'): Promise<Node> {
    return this.rig.get(NODES, name);
  }

  async condition(type: string, name = 'c1'): Promise<Condition | undefined> {
    return findCondition(await this.claim(name), type);
  }

  /** The pool's condition `NodeRegistrationHealthy`, after its controller has had a pass. */
  async poolHealth(): Promise<Condition | undefined> {
    await this.rig.reconcile(this.healthController, this.pool.metadata.name);
    return findCondition(await this.rig.get<NodePool>(NODE_POOLS, this.pool.metadata.name), 'NodeRegistrationHealthy');
  }

  /** How many claims of the pool were deleted for this reason. */
  disrupted(reason: string, capacity_type = ''): number {
    const labels = { reason, nodepool: this.pool.metadata.name, capacity_type };
    return this.rig.metrics.find(nodeClaimsDisrupted, labels) ?? 0;
  }

  /** The messages of lines, in order. */
  lines(level?: 'debug' | 'info' | 'error'): readonly string[] {
    return this.rig.logger.lines
      .filter((line) => level === undefined || line.level === level)
      .map((line) => line.message);
  }

  /** Reasons of published events. */
  eventReasons(): readonly string[] {
    return this.rig.published.map(({ reason }) => reason);
  }
}
