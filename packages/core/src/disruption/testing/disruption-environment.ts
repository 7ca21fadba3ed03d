import type { TestContext } from 'node:test';
import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODE_CLAIMS,
  NODE_POOLS,
  NODEPOOL_LABEL,
  type NodeClaim,
  type NodePool,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import { type Node, NODES, type Pod, PODS, type Taint } from '@karpenter-ts/kubernetes';
import { type Controller, type Result, VirtualClock } from '@karpenter-ts/runtime';
import { ladder } from '@karpenter-ts/scheduling/testing';
import { NodeClaimDeletions } from '../../nodeclaim/deletions.ts';
import type { OperatorOptions } from '../../options/operator-options.ts';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { LaunchState } from '../../provisioning/launch-state.ts';
import { ClusterModel } from '../../state/cluster-model.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { DecisionRing } from '../../state/decision-ring.ts';
import {
  conditionOf,
  launchedNodeClaim,
  ownedBy,
  readyNode,
  readyPool,
  runningPod,
} from '../../testing/cluster-objects.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';
import { disruptionControllers } from '../controller.ts';
import { LastPass } from '../reports/last-pass.ts';

interface DisruptionEnvironmentSettings extends FakeSettings {
  readonly options?: Partial<OperatorOptions>;
}

interface NodeParts {
  readonly pool?: string;
  /** One of `fake-it-0`, `fake-it-1` …, by default the cheapest with 4 cpus. */
  readonly type?: string;
  readonly capacityType?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  /** Types of conditions of the NodeClaim that are True, besides those of every initialized one. */
  readonly conditions?: readonly string[];
  readonly terminationGracePeriod?: string;
}

/** Settles budgets: everything may go at once. */
export const NO_BUDGETS = {
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  budgets: [{ nodes: '100%' }],
} as const;

/**
 * An environment with the controllers of disruption. The loop makes a pass when told to, the queue carries commands out
 * at once, and NodeClaims disappear as soon as they are deleted, because nobody has put a finalizer on them.
 */
export class DisruptionEnvironment extends TestEnvironment<FakeCloudProvider> {
  cluster: ClusterModel;
  readonly decisions: DecisionRing;
  readonly lastPass = new LastPass();
  #loop: Controller;
  #queue: Controller;

  constructor({ options = {}, ...fake }: DisruptionEnvironmentSettings) {
    const clock = new VirtualClock();
    const provider = new FakeCloudProvider({ clock, instanceTypes: ladder(20), ...fake });
    super({ provider, options, clock });
    this.cluster = new ClusterModel(this);
    this.decisions = new DecisionRing({ clock, random: () => 0.5 });
    [this.#loop, this.#queue] = this.#createControllers();
  }

  /** What another process would know: nothing but the API server. Commands are forgotten; their queue is not started. */
  async restart(): Promise<void> {
    this.cluster = new ClusterModel(this);
    [this.#loop, this.#queue] = this.#createControllers();
    await this.clock.flush();
  }

  #createControllers(): readonly [loop: Controller, queue: Controller] {
    const core = { ...(this as ControllerDeps), cluster: this.cluster };
    const [loop, queue] = disruptionControllers({
      ...core,
      podDisruptionBudgets: new PodDisruptionBudgets(this.caches),
      launchState: new LaunchState(core),
      deletions: new NodeClaimDeletions(this),
      decisions: this.decisions,
      lastPass: this.lastPass,
      random: () => 0,
    });
    return [loop!, queue!];
  }

  /** Starts the queue. */
  override async startWith(t: TestContext): Promise<void> {
    await super.startWith(t);
    await this.run(this.#queue);
  }

  /** Runs the loop by itself. */
  runLoop(): Promise<void> {
    return this.run(this.#loop);
  }

  /** One pass of the loop, with its waits. */
  pass(): Promise<Result> {
    return this.reconcile(this.#loop, '');
  }

  /** Creates a ready NodePool, without budgets unless `disruption` says so. */
  addPool(name = 'default', parts: Parameters<typeof readyPool>[1] = {}): Promise<NodePool> {
    return this.create(NODE_POOLS, readyPool(name, { disruption: NO_BUDGETS, ...parts }));
  }

  /** Creates an initialized node, Consolidatable unless `conditions` says otherwise. */
  async addNode(name: string, parts: NodeParts = {}): Promise<void> {
    const { nodeClaim, node } = await this.#describe(name, parts);
    await this.create(NODE_CLAIMS, nodeClaim);
    await this.#createNode(node);
  }

  async #describe(name: string, parts: NodeParts): Promise<{ readonly nodeClaim: NodeClaim; readonly node: Node }> {
    const { pool = 'default', type = 'fake-it-3', capacityType = 'on-demand', annotations, taints = [] } = parts;
    const { conditions = ['Consolidatable'], terminationGracePeriod } = parts;
    const labels = {
      [INSTANCE_TYPE_LABEL]: type,
      [ZONE_LABEL]: 'test-zone-1',
      [CAPACITY_TYPE_LABEL]: capacityType,
      ...parts.labels,
    };
    const offered = (await this.provider.instanceTypes(readyPool(pool))).find((one) => one.name === type);
    const capacity = offered?.capacity ?? { cpu: '4', memory: '8Gi', pods: '40' };
    const nodeClaim = launchedNodeClaim(name, { pool, labels, capacity });
    const node = readyNode(name, { pool, labels, capacity, taints });
    return {
      nodeClaim: {
        ...nodeClaim,
        spec: { ...nodeClaim.spec, ...(terminationGracePeriod && { terminationGracePeriod }) },
        status: {
          ...nodeClaim.status,
          nodeName: node.metadata.name,
          conditions: ['Launched', 'Registered', 'Initialized', ...conditions].map((one) => conditionOf(one)),
        },
      },
      node: { ...node, metadata: { ...node.metadata, ...(annotations && { annotations }) } },
    };
  }

  async #createNode(node: Node): Promise<void> {
    await this.create(NODES, node);
    // The API server taints every new Node as not ready, and another controller takes that off.
    await this.change(NODES, node.metadata.name, { spec: { taints: node.spec?.taints ?? [] } });
  }

  /** Binds a pod of a ReplicaSet to the node of this NodeClaim. */
  async addPod(name: string, nodeClaim: string, parts: Parameters<typeof runningPod>[2] = {}): Promise<Pod> {
    const ownerReferences = ownedBy('ReplicaSet');
    return this.create(PODS, runningPod(name, `node-of-${nodeClaim}`, { ownerReferences, ...parts }));
  }

  /** Acts as provider and lifecycle: this NodeClaim, or every one without an instance, becomes an initialized node. */
  async initialize(name?: string): Promise<void> {
    for (const { metadata, spec, status } of await this.nodeClaims()) {
      if (name === undefined ? status?.providerID : metadata.name !== name) continue;
      const type = spec.requirements.find(({ key }) => key === INSTANCE_TYPE_LABEL)?.values?.[0] ?? '';
      const pool = metadata.labels?.[NODEPOOL_LABEL] ?? '';
      const node = await this.#describe(metadata.name, { pool, type, conditions: [] });
      await this.change(NODE_CLAIMS, metadata.name, {
        metadata: { labels: node.nodeClaim.metadata.labels },
        status: node.nodeClaim.status ?? {},
      });
      await this.#createNode(node.node);
    }
  }

  async nodeClaims(): Promise<readonly NodeClaim[]> {
    return (await this.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
  }

  /** Names of NodeClaims that exist and are not being deleted, sorted. */
  async kept(): Promise<readonly string[]> {
    const left = (await this.nodeClaims()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return left.map(({ metadata }) => metadata.name).sort((a, b) => (a < b ? -1 : 1));
  }

  async taintsOf(nodeClaim: string): Promise<readonly string[]> {
    const { spec } = await this.get<Node>(NODES, `node-of-${nodeClaim}`);
    return (spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`);
  }

  /** The condition `DisruptionReason` of a NodeClaim, as `status/reason/message`. */
  async reasonOf(nodeClaim: string): Promise<string | undefined> {
    const { status } = await this.get<NodeClaim>(NODE_CLAIMS, nodeClaim);
    const found = status?.conditions?.find(({ type }) => type === 'DisruptionReason');
    return found && `${found.status}/${found.reason}/${found.message}`;
  }

  /** `reason: message` of the events of an object, in order. */
  eventsOn(name: string): readonly string[] {
    const about = this.published.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ reason, message }) => `${reason}: ${message}`);
  }

  /** The messages of the log lines of a level, in order. */
  lines(level: 'debug' | 'info' | 'error'): readonly string[] {
    return this.logger.lines.filter((line) => line.level === level).map(({ message }) => message);
  }

  /** The value of a series of the metrics page; undefined if there is none. */
  async metric(series: string): Promise<number | undefined> {
    const line = (await this.page()).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }
}

/** Stops with the test. */
export async function startDisruptionEnvironment(
  t: TestContext,
  settings: DisruptionEnvironmentSettings = {},
): Promise<DisruptionEnvironment> {
  const env = new DisruptionEnvironment(settings);
  await env.startWith(t);
  return env;
}
