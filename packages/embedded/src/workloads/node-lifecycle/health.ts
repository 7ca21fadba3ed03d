import {
  type Controller,
  type EventRecorder,
  type Instant,
  isConflict,
  isNotFound,
  type Result,
  SECOND,
} from '@karpenter-ts/runtime';
import { findCondition, withCondition } from '../conditions.ts';
import { isReady } from '../pod-state.ts';
import { readSource } from '../read-source.ts';
import { type Lease, type Node, NODES, type ObjectCondition, PODS, timestamp } from '@karpenter-ts/kubernetes';
import { subjectOf, type WorkloadDeps } from '../workload-deps.ts';
import { hasTaint, NOT_READY_NO_EXECUTE, swapTaints, UNREACHABLE_NO_EXECUTE } from './taints.ts';
import { WatchedTime } from './watched-time.ts';
import { ZonePace } from './zones.ts';

// kube-controller-manager's figures.
const PERIOD = 5 * SECOND;
const GRACE = 50 * SECOND;
const STARTUP_GRACE = 60 * SECOND;

/** The conditions that become Unknown when a node stops reporting. */
const UNKNOWN_WHEN_SILENT = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The last heartbeat of a node, and when it was seen in observed time, because a node's own clock may be wrong. */
interface Heard {
  readonly heartbeat: string | undefined;
  readonly renewal: string | undefined;
  readonly at: number;
}

interface HealthDeps extends WorkloadDeps {
  readonly events: EventRecorder;
  readonly heartbeats: Map<string, Heard>;
  readonly known: Map<string, Node>;
  readonly pace: ZonePace;
  readonly watched: WatchedTime;
}

/** The only key: every reconcile looks at all nodes, because only the passing of time shows that one is unreachable. */
const ALL = 'all';

/**
 * Monitors node health. A node without heartbeats becomes Unknown; one that is not Ready is tainted NoExecute, as fast
 * as its zone allows.
 */
export function nodeHealthController(workloadDeps: WorkloadDeps): Controller {
  const { clock, caches } = workloadDeps;
  const events = workloadDeps.recorder('node-controller');
  const memory = {
    heartbeats: new Map(),
    known: new Map(),
    pace: new ZonePace(clock),
    watched: new WatchedTime(clock, 2 * PERIOD),
  };
  const deps: HealthDeps = { ...workloadDeps, events, ...memory };
  return {
    name: 'node-health',
    sources: [
      { name: 'clock', attach: (queue) => queue.add(ALL) },
      readSource(caches.nodes),
      readSource(caches.leases),
      readSource(caches.pods),
    ],
    reconcile: async () => {
      await checkAll(deps);
      return { requeueAfter: PERIOD } satisfies Result;
    },
  };
}

/** Most nodes are healthy. They are checked without waiting, because there are thousands of them every five seconds. */
async function checkAll(deps: HealthDeps): Promise<void> {
  const { caches, client, clock, pace, watched } = deps;
  watched.look();
  const nodes = caches.nodes.list();
  noteArrivals(deps, nodes);
  const checked: Node[] = [];
  for (const node of nodes) {
    checked.push(isSilent(deps, node) ? await unlessChanged(node, () => doubt(deps, node)) : node);
  }
  const isMasterAlone = pace.observe(checked);
  for (const node of checked) {
    if (isFine(node)) continue;
    await unlessChanged(node, () =>
      isMasterAlone
        ? swapTaints(client, clock, node, { add: [], remove: NO_EXECUTE_TAINTS })
        : taintNoExecute(deps, node),
    );
  }
}

const NO_EXECUTE_TAINTS = [NOT_READY_NO_EXECUTE, UNREACHABLE_NO_EXECUTE];

function isFine(node: Node): boolean {
  const ready = findCondition(node.status?.conditions, 'Ready');
  return ready?.status === 'True' && !NO_EXECUTE_TAINTS.some((taint) => hasTaint(node, taint));
}

/** A failure for one node must not stop the round: the next round looks at it again. */
async function unlessChanged(node: Node, write: () => Promise<Node>): Promise<Node> {
  try {
    return await write();
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return node;
    throw error;
  }
}

function noteArrivals({ known, heartbeats, events }: HealthDeps, nodes: readonly Node[]): void {
  const publish = (node: Node, reason: string, what: string): void => {
    const message = `Node ${node.metadata.name} event: ${what}`;
    events.publish({ on: subjectOf(node, NODES), type: 'Normal', reason, message });
  };
  const present = new Set(nodes.map(({ metadata }) => metadata.name));
  for (const node of nodes) {
    const { name } = node.metadata;
    if (!known.has(name)) publish(node, 'RegisteredNode', `Registered Node ${name} in Controller`);
    known.set(name, node);
  }
  for (const [name, node] of known) {
    if (present.has(name)) continue;
    publish(node, 'RemovingNode', `Removing Node ${name} from Controller`);
    known.delete(name);
    heartbeats.delete(name);
  }
}

function isSilent(deps: HealthDeps, node: Node): boolean {
  const ready = findCondition(node.status?.conditions, 'Ready');
  const silence = deps.watched.total - lastHeartbeat(deps, node, ready);
  return silence > (ready === undefined ? STARTUP_GRACE : GRACE);
}

/** Returns the node with its conditions as updated here. */
async function doubt(deps: HealthDeps, node: Node): Promise<Node> {
  const { client, clock, events } = deps;
  const ready = findCondition(node.status?.conditions, 'Ready');
  const conditions = withUnknownConditions(node, clock.now());
  if (findCondition(conditions, 'Ready')?.status === ready?.status) return node;
  const status = { ...node.status, conditions };
  const silent = await client.update<Node>(NODES, { ...node, status }, { subresource: 'status' });
  if (ready?.status === 'True') {
    const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
    events.publish({ on: subjectOf(node, NODES), type: 'Normal', reason: 'NodeNotReady', message });
    await markPodsNotReady(deps, node);
  }
  return silent;
}

/** A node that has never reported counts from when it was first seen. */
function lastHeartbeat(
  { caches, heartbeats, watched }: HealthDeps,
  node: Node,
  ready: ObjectCondition | undefined,
): number {
  const { name } = node.metadata;
  const lease: Lease | undefined = caches.leases.get(`kube-node-lease/${name}`);
  const next = { heartbeat: ready?.lastHeartbeatTime, renewal: lease?.spec?.renewTime };
  const last = heartbeats.get(name);
  if (last !== undefined && last.heartbeat === next.heartbeat && last.renewal === next.renewal) return last.at;
  heartbeats.set(name, { ...next, at: watched.total });
  return watched.total;
}

function withUnknownConditions({ metadata, status }: Node, now: Instant): readonly ObjectCondition[] {
  let conditions = status?.conditions ?? [];
  for (const type of UNKNOWN_WHEN_SILENT) {
    const known = findCondition(conditions, type);
    if (known?.status === 'Unknown') continue;
    const why =
      known === undefined
        ? { reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' }
        : { reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    const lastHeartbeatTime = known?.lastHeartbeatTime ?? metadata.creationTimestamp ?? timestamp(now);
    const next = { type, status: 'Unknown', lastHeartbeatTime, lastTransitionTime: timestamp(now), ...why };
    conditions = withCondition(conditions, next);
  }
  return conditions;
}

/** Marks the pods of an unreachable node not ready, because its kubelet cannot. */
async function markPodsNotReady({ client, clock, caches, events }: HealthDeps, node: Node): Promise<void> {
  for (const pod of caches.pods.byIndex('node', node.metadata.name).filter(isReady)) {
    const condition = { type: 'Ready', status: 'False', lastTransitionTime: timestamp(clock.now()) };
    const body = { metadata: { uid: pod.metadata.uid }, status: { conditions: [condition] } };
    try {
      await client.patch(PODS, pod.metadata, { type: 'strategic', body }, { subresource: 'status' });
      const message = 'Node is not ready';
      events.publish({ on: subjectOf(pod, PODS), type: 'Warning', reason: 'NodeNotReady', message });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

/** The NoExecute taint for the node's readiness. Replacing one by the other needs no allowance of the zone. */
async function taintNoExecute({ client, clock, pace }: HealthDeps, node: Node): Promise<Node> {
  const ready = findCondition(node.status?.conditions, 'Ready');
  if (ready === undefined) return node;
  if (ready.status === 'True') return swapTaints(client, clock, node, { add: [], remove: NO_EXECUTE_TAINTS });
  const wanted = ready.status === 'False' ? NOT_READY_NO_EXECUTE : UNREACHABLE_NO_EXECUTE;
  if (hasTaint(node, wanted)) return node;
  const other = NO_EXECUTE_TAINTS.filter((taint) => taint !== wanted);
  if (!other.some((taint) => hasTaint(node, taint)) && !pace.admits(node)) return node;
  return swapTaints(client, clock, node, { add: [wanted], remove: other });
}
