import {
  controllerOf,
  instantOf,
  isTrue,
  type Node,
  NODES,
  objectKey,
  type Pod,
  PODS,
  READY,
  timestamp,
} from '@karpenter-ts/kubernetes';
import {
  type Client,
  type Clock,
  type Controller,
  DONE,
  type Instant,
  kindSource,
  type Result,
  SECOND,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { Caches } from '../workloads/caches.ts';
import { findCondition } from '../workloads/conditions.ts';
import { readSource } from '../workloads/read-source.ts';
import { SupersededVersions } from '../workloads/superseded-versions.ts';
import { AddressRange } from './addresses.ts';
import type { Faults } from './faults.ts';
import { NodeLeases } from './lease.ts';
import { isSaying, signsUnder, statusPatch } from './node-status.ts';
import { runningStatus, succeededStatus } from './pod-status.ts';
import { isSimulated, type KubeletSettings } from './settings.ts';

export interface KubeletDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly caches: Pick<Caches, 'nodes' | 'pods'>;
  readonly faults: Faults;
  readonly settings: KubeletSettings;
}

interface Kubelet extends KubeletDeps {
  readonly leases: NodeLeases;
  /** Versions of pods that the kubelets have overwritten. */
  readonly superseded: SupersededVersions;
  readonly nodeAddresses: AddressRange;
  readonly podAddresses: AddressRange;
}

/**
 * The kubelets of all nodes with KWOK's annotation. Their nodes become Ready and stay so, their pods run, pods of Jobs
 * succeed, and pods stop when they are deleted.
 */
export function kubeletControllers(deps: KubeletDeps): readonly Controller[] {
  const kubelet: Kubelet = {
    ...deps,
    leases: new NodeLeases(deps),
    superseded: new SupersededVersions(),
    nodeAddresses: new AddressRange('10.127.0.0/16'),
    podAddresses: new AddressRange('10.128.0.0/9'),
  };
  return [nodeController(kubelet), podController(kubelet), leaseController(kubelet)];
}

function nodeController(kubelet: Kubelet): Controller {
  const { caches, faults } = kubelet;
  return {
    name: 'kubelet-node',
    kind: { group: '', kind: 'Node' },
    concurrency: 16,
    sources: [
      kindSource(caches.nodes, { when: ({ type, object }) => type !== 'deleted' && isSimulated(object) }),
      { name: 'faults', attach: (queue) => faults.onChange((node) => queue.add(node)) },
    ],
    reconcile: async (name) => {
      const node = caches.nodes.get(name);
      if (node === undefined || !isSimulated(node) || faults.has(name, 'lost')) return DONE;
      return postStatus(kubelet, node);
    },
  };
}

async function postStatus(
  { client, clock, faults, leases, nodeAddresses, settings }: Kubelet,
  node: Node,
): Promise<Result> {
  const { name, creationTimestamp } = node.metadata;
  const now = clock.now();
  const ready = findCondition(node.status?.conditions, 'Ready');
  const isUp = ready?.reason?.startsWith('Kubelet') ?? false; // said by a kubelet, and not by others in its stead
  if (!isUp && faults.has(name, 'never-ready')) return DONE;
  const wait = until(instantOf(creationTimestamp) ?? now, settings.readyDelay, now);
  if (!isUp && wait > 0) return { requeueAfter: wait };
  const signs = signsUnder(faults.of(name));
  const nextBeat = until(instantOf(ready?.lastHeartbeatTime) ?? 0, settings.heartbeat, now);
  if (isSaying(node, signs) && nextBeat > 0) return { requeueAfter: nextBeat };
  if (!isUp) await leases.renew(node);
  const status = statusPatch(node, signs, { newAddress: () => nodeAddresses.next(), now });
  await unlessGone(
    client.patch(NODES, node.metadata, { type: 'strategic', body: { status } }, { subresource: 'status' }),
  );
  return { requeueAfter: settings.heartbeat };
}

function leaseController({ caches, faults, leases, settings }: Kubelet): Controller {
  return {
    name: 'kubelet-lease',
    sources: [{ name: 'clock', attach: (queue) => queue.add('all') }, readSource(caches.nodes)],
    reconcile: async () => {
      const isUp = ({ status }: Node): boolean => findCondition(status?.conditions, 'Ready') !== undefined;
      const nodes = caches.nodes.list().filter((node) => isSimulated(node) && isUp(node));
      await leases.renewAll(nodes.filter(({ metadata }) => !faults.has(metadata.name, 'lost')));
      return { requeueAfter: settings.leaseRenewal };
    },
  };
}

function podController(kubelet: Kubelet): Controller {
  const { caches, faults, superseded } = kubelet;
  const podsOn = (node: string): readonly string[] =>
    caches.pods.byIndex('node', node).map((pod) => objectKey(pod.metadata));
  return {
    name: 'kubelet-pod',
    kind: { group: '', kind: 'Pod' },
    concurrency: 64,
    sources: [
      kindSource(caches.pods, { when: ({ object }) => Boolean(object.spec.nodeName) }),
      // A node that has just become Ready has pods waiting for it.
      kindSource(caches.nodes, {
        when: (change) =>
          change.type === 'added' || (change.type === 'updated' && isReady(change.object) !== isReady(change.old)),
        keys: ({ metadata }) => podsOn(metadata.name),
      }),
      {
        name: 'faults',
        attach: (queue) =>
          faults.onChange((node) => {
            for (const key of podsOn(node)) queue.add(key);
          }),
      },
    ],
    reconcile: async (key) => {
      const pod = caches.pods.get(key);
      const node = caches.nodes.get(pod?.spec.nodeName ?? '');
      if (pod === undefined) superseded.forget(key);
      if (pod === undefined || node === undefined || !isSimulated(node)) return DONE;
      if (faults.has(node.metadata.name, 'lost') || superseded.includes(key, pod)) return DONE;
      if (pod.metadata.deletionTimestamp !== undefined) return stop(kubelet, pod, node);
      if (pod.status?.phase === 'Pending' && isReady(node)) return run(kubelet, pod, node);
      if (pod.status?.phase === 'Running' && isReady(node) && !isReady(pod)) return sayReady(kubelet, pod);
      if (pod.status?.phase === 'Running' && controllerOf(pod.metadata)?.kind === 'Job') return complete(kubelet, pod);
      return DONE;
    },
  };
}

function isReady(object: Node | Pod): boolean {
  return isTrue(object, READY);
}

async function run(kubelet: Kubelet, pod: Pod, node: Node): Promise<Result> {
  const { clock, podAddresses, settings } = kubelet;
  const now = clock.now();
  const arrival = instantOf(findCondition(pod.status?.conditions, 'PodScheduled')?.lastTransitionTime) ?? now;
  const wait = until(arrival, settings.startDelay, now);
  if (wait > 0) return { requeueAfter: wait };
  const hostIP = node.status?.addresses?.find(({ type }) => type === 'InternalIP')?.address ?? '10.127.0.1';
  const status = runningStatus(pod, { now, hostIP, podIP: podAddresses.next() });
  await writePodStatus(kubelet, pod, status);
  return DONE;
}

/**
 * Marks a pod Ready again. Its node was unreachable and the pod was marked not ready, but it has been running all the
 * time.
 */
async function sayReady(kubelet: Kubelet, pod: Pod): Promise<Result> {
  const lastTransitionTime = timestamp(kubelet.clock.now());
  await writePodStatus(kubelet, pod, { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] });
  return DONE;
}

async function complete(kubelet: Kubelet, pod: Pod): Promise<Result> {
  const { clock, settings } = kubelet;
  const now = clock.now();
  const wait = until(instantOf(pod.status?.startTime) ?? now, settings.completionDelay, now);
  if (wait > 0) return { requeueAfter: wait };
  await writePodStatus(kubelet, pod, succeededStatus(pod, now));
  return DONE;
}

/** A deletion timestamp is the end of the grace period; a pod may stop earlier. */
async function stop({ client, clock, faults, settings }: Kubelet, pod: Pod, node: Node): Promise<Result> {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, uid = '' } = pod.metadata;
  const grace = deletionGracePeriodSeconds * 1000;
  const slow = faults.of(node.metadata.name).find((fault) => fault.kind === 'slow-drain');
  const duration = Math.min(slow?.delay ?? settings.stopDelay, grace);
  const now = clock.now();
  const asked = (instantOf(deletionTimestamp) ?? now) - grace;
  const isOver = pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
  const wait = isOver ? 0 : until(asked, duration, now);
  if (wait > 0) return { requeueAfter: wait };
  await unlessGone(client.delete(PODS, pod.metadata, { gracePeriodSeconds: 0, preconditions: { uid } }));
  return DONE;
}

/**
 * Milliseconds until `delay` has passed since an instant. Timestamps of objects are whole seconds, so a delay of 0 is
 * over at once. If the clock was set back in between, the delay counts as over.
 */
function until(since: Instant, delay: number, now: Instant): number {
  const wait = since + delay - now;
  return delay === 0 || wait > delay + 1 * SECOND ? 0 : wait;
}

/** Writes only over the version at hand: a second reconcile of an old version would give the pod a second address. */
async function writePodStatus({ client, superseded }: Kubelet, pod: Pod, status: object): Promise<void> {
  const { metadata } = pod;
  const body = { metadata: { resourceVersion: metadata.resourceVersion }, status };
  await unlessGone(client.patch(PODS, metadata, { type: 'strategic', body }, { subresource: 'status' }));
  superseded.mark(objectKey(metadata), pod);
}
