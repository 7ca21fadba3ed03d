import type { TestContext } from 'node:test';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import type { OperatorOptions } from '../../options/operator-options.ts';
import { VirtualClock } from '@karpenter-ts/runtime';
import { NODES, PODS } from '@karpenter-ts/kubernetes';
import { ClusterModel } from '../../state/cluster-model.ts';
import type { Node } from '../../kinds/node.ts';
import type { Pod } from '../../kinds/pod.ts';
import { metricsPage } from '../../testing/metrics-page.ts';
import { type Rig, startRig } from '../../testing/rig.ts';
import { Provisioner, type ProvisionerDeps } from '../provisioner.ts';

/** How a scene differs from the usual one. */
export interface SceneSettings extends FakeSettings {
  readonly options?: Partial<OperatorOptions>;
}

/** A cluster with a provisioner that does a pass when told to. */
export class ProvisioningScene {
  readonly rig: Rig<FakeCloudProvider>;
  readonly cluster: ClusterModel;
  readonly deps: ProvisionerDeps;
  readonly #provisioner: Provisioner;

  constructor(rig: Rig<FakeCloudProvider>) {
    this.rig = rig;
    this.cluster = new ClusterModel(rig);
    this.deps = { ...rig, cluster: this.cluster, random: () => 0.5 };
    this.#provisioner = new Provisioner(this.deps);
  }

  /** Puts pools, then pods there. */
  async add(pools: readonly NodePool[], pods: readonly Pod[] = []): Promise<void> {
    for (const pool of pools) await this.rig.create(NODE_POOLS, pool);
    for (const pod of pods) await this.rig.create(PODS, pod);
  }

  /** Puts a Node there whose kubelet has reported: without the taint every new Node has. */
  async addNode(node: Node): Promise<void> {
    const { name } = node.metadata;
    await this.rig.create(NODES, node);
    await this.rig.change(NODES, name, { spec: { taints: node.spec?.taints ?? [] } });
  }

  /** One pass; throws what it throws. */
  async pass(): Promise<void> {
    const { rig } = this;
    try {
      await rig.clock.runUntil(this.#provisioner.run(new AbortController().signal, rig.logger));
    } finally {
      await rig.clock.settle();
    }
  }

  async claims(): Promise<readonly NodeClaim[]> {
    return (await this.rig.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
  }

  /** Does what a provider would: gives every NodeClaim without one a machine of this size. */
  async launch(capacity = { cpu: '4', memory: '4Gi', pods: '5' }): Promise<void> {
    for (const { metadata, status } of await this.claims()) {
      if (status?.providerID) continue;
      const launched = { providerID: `fake:///${metadata.name}`, capacity, allocatable: capacity };
      await this.rig.change(NODE_CLAIMS, metadata.name, { status: launched });
    }
  }

  /** Reason and message of the events of an object, in order. */
  eventsOn(name: string): readonly (readonly [reason: string, message: string])[] {
    const about = this.rig.published.filter(({ involvedObject }) => involvedObject.name === name);
    return about.map(({ reason, message }) => [reason, message]);
  }

  /** The lines with this message, or all. */
  lines(message?: string) {
    return this.rig.logger.lines.filter((line) => message === undefined || line.message === message);
  }

  /** The value of a series; undefined if there is none. */
  async metric(series: string): Promise<number | undefined> {
    const line = (await metricsPage(this.rig.metrics)).split('\n').find((one) => one.startsWith(`${series} `));
    return line === undefined ? undefined : Number(line.slice(series.length + 1));
  }
}

/** Stops with the test. */
export async function startScene(t: TestContext, settings: SceneSettings = {}): Promise<ProvisioningScene> {
  const { options = {}, ...fake } = settings;
  const clock = new VirtualClock();
  const provider = new FakeCloudProvider({ clock, ...fake }); // its delays pass with the clock of the scene
  return new ProvisioningScene(await startRig(t, { provider, options, clock }));
}
