import type { TestContext } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import type { OperatorOptions } from '../../options/operator-options.ts';
import { type Client, VirtualClock } from '@karpenter-ts/runtime';
import { type Node, NODES, type Pod, PODS } from '@karpenter-ts/kubernetes';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { ClusterModel } from '../../state/cluster-model.ts';
import { PodDisruptionBudgets } from '../../pods/disruption-budgets.ts';
import { metricsPage } from '../../testing/metrics-page.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';
import { LastPlan } from '../../planning/last-plan.ts';
import { DecisionRing } from '../../state/decision-ring.ts';
import { LaunchState } from '../launch-state.ts';
import { Provisioner, type ProvisionerDeps } from '../provisioner.ts';

/** How an environment differs from the usual one. */
export interface ProvisioningEnvironmentSettings extends FakeSettings {
  readonly options?: Partial<OperatorOptions>;
}

/** An environment with a provisioner that makes a pass when told to. */
export class ProvisioningEnvironment extends TestEnvironment<FakeCloudProvider> {
  readonly cluster: ClusterModel;
  readonly deps: ProvisionerDeps;
  readonly #podDisruptionBudgets: PodDisruptionBudgets;
  readonly #provisioner: Provisioner;

  constructor({ options = {}, ...fake }: ProvisioningEnvironmentSettings) {
    const clock = new VirtualClock();
    super({ provider: new FakeCloudProvider({ clock, ...fake }), options, clock }); // its delays pass in virtual time
    this.cluster = new ClusterModel(this);
    this.#podDisruptionBudgets = new PodDisruptionBudgets(this.caches);
    this.deps = this.depsWith(this.client);
    this.#provisioner = new Provisioner(this.deps);
  }

  /** The dependencies of another provisioner of this environment, which sends its requests through `client`. */
  depsWith(client: Client): ProvisionerDeps {
    const core = { ...(this as ControllerDeps), client, cluster: this.cluster };
    const podDisruptionBudgets = this.#podDisruptionBudgets;
    return {
      ...core,
      podDisruptionBudgets,
      launchState: new LaunchState(core),
      lastPlan: new LastPlan(),
      decisions: new DecisionRing({ clock: this.clock, random: () => 0.5 }),
      random: () => 0.5,
    };
  }

  /** Creates NodePools, then pods. */
  async add(pools: readonly NodePool[], pods: readonly Pod[] = []): Promise<void> {
    for (const pool of pools) await this.create(NODE_POOLS, pool);
    for (const pod of pods) await this.create(PODS, pod);
  }

  /** Creates a Node whose kubelet has reported, that is, without the taint of a new Node. */
  async addNode(node: Node): Promise<void> {
    const { name } = node.metadata;
    await this.create(NODES, node);
    await this.change(NODES, name, { spec: { taints: node.spec?.taints ?? [] } });
  }

  /** One pass of the provisioner; throws what the pass throws. */
  async pass(): Promise<void> {
    try {
      await this.clock.runUntil(this.#provisioner.run(new AbortController().signal, this.logger));
    } finally {
      await this.clock.flush();
    }
  }

  async nodeClaims(): Promise<readonly NodeClaim[]> {
    return (await this.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
  }

  /** Acts as the provider: gives every NodeClaim without an instance one of this size. */
  async launch(capacity = { cpu: '4', memory: '4Gi', pods: '5' }): Promise<void> {
    for (const { metadata, status } of await this.nodeClaims()) {
      if (status?.providerID) continue;
      const launched = { providerID: `fake:///${metadata.name}`, capacity, allocatable: capacity };
      await this.change(NODE_CLAIMS, metadata.name, { status: launched });
    }
  }

  /** Reason and message of the events of an object, in order. */
  eventsOn(name: string): readonly (readonly [reason: string, message: string])[] {
    const about = this.published.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ reason, message }) => [reason, message]);
  }

  /** The log lines with this message; all of them by default. */
  lines(message?: string) {
    return this.logger.lines.filter((line) => message === undefined || line.message === message);
  }

  /** The value of a series; undefined if there is none. */
  async metric(series: string): Promise<number | undefined> {
    const line = (await metricsPage(this.metrics)).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }
}

/** Stops with the test. */
export async function startProvisioningEnvironment(
  t: TestContext,
  settings: ProvisioningEnvironmentSettings = {},
): Promise<ProvisioningEnvironment> {
  const env = new ProvisioningEnvironment(settings);
  await env.startWith(t);
  return env;
}
