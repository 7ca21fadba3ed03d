import type { TestContext } from 'node:test';
import {
  DISRUPTED_TAINT,
  NODE_CLAIM_CONDITIONS,
  NODE_CLAIMS,
  type NodeClaim,
  NODEPOOL_LABEL,
  TERMINATION_FINALIZER,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { FakeCloudProvider, type FakeSettings } from '@karpenter-ts/cloudprovider/testing';
import { type Controller } from '@karpenter-ts/runtime';
import {
  type Node,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type Pod,
  POD_DISRUPTION_BUDGETS,
  type PodDisruptionBudget,
  PODS,
  refOfKey,
  VOLUME_ATTACHMENTS,
} from '@karpenter-ts/kubernetes';
import { withCondition } from '../../writes/conditions.ts';
import { TestEnvironment } from '../../testing/test-environment.ts';
import { EvictionQueue } from '../eviction-queue.ts';
import { nodeTermination } from '../node-termination.ts';

type Parts<T> = { readonly [K in keyof T]?: unknown };

/** An environment with one Node `n1` of NodeClaim `c1`, for tests of its termination. */
export class TerminationEnvironment extends TestEnvironment<FakeCloudProvider> {
  readonly queue: EvictionQueue;
  readonly controller: Controller;

  constructor(settings: FakeSettings) {
    super({ provider: new FakeCloudProvider(settings) });
    this.queue = new EvictionQueue(this);
    this.controller = nodeTermination(this, this.queue);
  }

  /** One pass over the node. */
  pass(name = 'n1') {
    return this.reconcile(this.controller, name);
  }

  /** Runs both controllers. */
  runControllers(): Promise<void> {
    return this.run(this.queue.controller, this.controller);
  }

  async addPod(name: string, { metadata, spec, status }: Parts<Pod> = {}): Promise<Pod> {
    const pod = {
      metadata: { name, namespace: 'default', ...(metadata as object) },
      spec: {
        nodeName: 'n1',
        terminationGracePeriodSeconds: 30,
        containers: [{ name: 'main', image: 'image' }],
        ...(spec as object),
      },
      ...(status ? { status } : {}),
    };
    return this.create<Pod>(PODS, pod);
  }

  /** Removes a pod, as its kubelet does once the containers have stopped. */
  async stopPod(name: string): Promise<void> {
    await this.client.delete(PODS, { name, namespace: 'default' }, { gracePeriodSeconds: 0 });
    await this.clock.flush();
  }

  async addBudget(name: string, spec: PodDisruptionBudget['spec'], disruptionsAllowed: number): Promise<void> {
    await this.create(POD_DISRUPTION_BUDGETS, {
      metadata: { name, namespace: 'default', generation: 1 },
      spec,
      status: { disruptionsAllowed, observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1 },
    });
  }

  /** Creates a volume attached to the node; `volumeClaim` is the name of a pod's PersistentVolumeClaim. */
  async attach(name: string, volumeClaim?: string): Promise<void> {
    const volume = `pv-${name}`;
    await this.create(PERSISTENT_VOLUMES, {
      metadata: { name: volume },
      spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], csi: { driver: 'd', volumeHandle: name } },
    } as never);
    if (volumeClaim !== undefined) {
      await this.create(PERSISTENT_VOLUME_CLAIMS, {
        metadata: { name: volumeClaim, namespace: 'default' },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: '1Gi' } },
          storageClassName: '',
          volumeName: volume,
        },
      } as never);
    }
    await this.create(VOLUME_ATTACHMENTS, {
      metadata: { name },
      spec: { attacher: 'd', nodeName: 'n1', source: { persistentVolumeName: volume } },
    } as never);
  }

  node(name = 'n1'): Promise<Node | undefined> {
    return this.find<Node>(NODES, name);
  }

  nodeClaim(name = 'c1'): Promise<NodeClaim> {
    return this.get<NodeClaim>(NODE_CLAIMS, name);
  }

  pod(name: string): Promise<Pod | undefined> {
    return this.find<Pod>(PODS, `default/${name}`);
  }

  async condition(type: string) {
    const { status } = await this.nodeClaim();
    return status?.conditions?.find((condition) => condition.type === type);
  }

  /** Messages of the events with this reason, oldest first. */
  messages(reason: string): readonly string[] {
    return this.published.filter((event) => event.reason === reason).map(({ message }) => message);
  }

  async deleteNode(name = 'n1'): Promise<void> {
    await this.client.delete(NODES, refOfKey(name));
    await this.clock.flush();
  }
}

export interface TerminationEnvironmentSettings extends FakeSettings {
  readonly nodeClaim?: Parts<NodeClaim> | 'none';
  readonly node?: Parts<Node>;
}

/** A ready Node with its NodeClaim and its instance; nothing is deleted yet. */
export async function startTerminationEnvironment(
  t: TestContext,
  settings: TerminationEnvironmentSettings = {},
): Promise<TerminationEnvironment> {
  const { node = {}, nodeClaim = {}, ...fake } = settings;
  const env = new TerminationEnvironment(fake);
  await env.startWith(t);
  if (nodeClaim !== 'none') env.provider.addInstance(await addNodeClaim(env, 'c1', nodeClaim));
  await addNode(env, 'n1', node);
  return env;
}

export async function addNodeClaim(
  env: TerminationEnvironment,
  name: string,
  { metadata, spec }: Parts<NodeClaim>,
): Promise<NodeClaim> {
  const ref = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
  const created = await env.create<NodeClaim>(NODE_CLAIMS, {
    metadata: { name, finalizers: [TERMINATION_FINALIZER], labels: LABELS, ...(metadata as object) },
    spec: { nodeClassRef: ref, requirements: [], ...(spec as object) },
  } as unknown as NodeClaim);
  let ready = created;
  for (const type of ['Launched', 'Registered', 'Initialized'] as const) {
    ready = withCondition(ready, NODE_CLAIM_CONDITIONS, { type, status: 'True' }, env.clock.now());
  }
  const status = { ...ready.status, providerID: 'fake:///one', nodeName: 'n1' };
  return env.change<NodeClaim>(NODE_CLAIMS, name, { status });
}

export async function addNode(
  env: TerminationEnvironment,
  name: string,
  { metadata, spec, status }: Parts<Node>,
): Promise<void> {
  await env.create<Node>(NODES, {
    metadata: { name, finalizers: [TERMINATION_FINALIZER], labels: LABELS, ...(metadata as object) },
    spec: { providerID: 'fake:///one', ...(spec as object) },
    status: { conditions: [{ type: 'Ready', status: 'True' }], ...(status as object) },
  });
}

const LABELS = { 'karpenter.kwok.sh/kwoknodeclass': 'default', [NODEPOOL_LABEL]: 'general', [ZONE_LABEL]: 'zone-a' };

/** Tolerates the disruption taint. */
export const STAYS = { key: DISRUPTED_TAINT.key, operator: 'Exists', effect: DISRUPTED_TAINT.effect };
