import { isTrue, type Pod, PODS } from '@karpenter-ts/kubernetes';
import { type NodeClaim, TERMINATION_FINALIZER } from '@karpenter-ts/apis';
import { type Client, type Clock, type Instant, type TransportRequest, unlessGone } from '@karpenter-ts/runtime';
import { findClaimOf, listInstances, podsOn, takeSnapshot } from '../cluster/snapshot.ts';
import type { CloudCallChecker } from '../faults/faulty-provider.ts';
import { deadlineOf, isDue, blocksDrain, isProtected } from './drain-rules.ts';
import type { Violation } from './violation.ts';

const POD_REQUEST = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/?]+)(\/eviction)?(?:\?|$)/;

interface DeleteOptions {
  readonly preconditions?: { readonly uid?: string };
}

interface Deps {
  readonly client: Client;
  /** The clock of the operator, which cannot know whether its clock is right. */
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
}

/**
 * Checks each request of one operator at the moment it is sent: what it asks the API server to do to pods, and what it
 * asks of the cloud.
 */
export class RequestChecker implements CloudCallChecker {
  readonly #deps: Deps;
  readonly #launched = new Set<string>(); // UIDs of claims for which this operator has received an instance

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Checks a request before it reaches the API server. */
  async check({ method, path, body }: TransportRequest): Promise<void> {
    if (method !== 'POST' && method !== 'DELETE') return;
    const [, namespace, name = '', eviction] = POD_REQUEST.exec(path) ?? [];
    if (namespace === undefined || (method === 'POST') !== (eviction !== undefined)) return;
    const now = this.#deps.clock.now();
    const pod = await this.#findPod(namespace, name);
    if (pod === undefined || pod.metadata.deletionTimestamp !== undefined) return; // it is being deleted already
    if (![undefined, pod.metadata.uid].includes(requiredUid(body))) return; // a deleted pod of the same name is meant
    if (method === 'POST' && !isProtected(pod, now)) return;
    const deadline = await this.#findDeadline(pod);
    if (deadline === undefined || isDue(pod, deadline, now)) return;
    const what = `${method === 'POST' ? 'evicted' : 'deleted'} pod ${name} ${textOf(deadline)}`;
    if (isProtected(pod, now)) this.#deps.report({ invariant: 'protection', detail: `${what} though it is protected` });
    if (method === 'DELETE') this.#deps.report({ invariant: 'budget', detail: `${what} instead of evicting it` });
  }

  async deleting(nodeClaim: NodeClaim): Promise<void> {
    const { nodes, claims, pods } = await takeSnapshot(this.#deps.client);
    const claim = claims.find(({ metadata }) => metadata.uid === nodeClaim.metadata.uid) ?? nodeClaim;
    const node = nodes.find(({ spec }) => spec?.providerID === claim.status?.providerID);
    // A Node is drained once it has our finalizer. Until then only its taint keeps pods away.
    if (!node?.metadata.finalizers?.includes(TERMINATION_FINALIZER) || !isTrue(node, 'Ready')) return;
    const deadline = deadlineOf(claim);
    const left = podsOn(node.metadata.name, pods).filter(
      (pod) => blocksDrain(pod) && !isDue(pod, deadline, this.#deps.clock.now()),
    );
    if (left.length === 0) return;
    const names = left.map(({ metadata }) => metadata.name).join(', ');
    const detail = `ended the instance of ${node.metadata.name} ${textOf(deadline)} with ${names} on it`;
    this.#deps.report({ invariant: 'budget', detail });
  }

  created({ metadata }: NodeClaim, answer: NodeClaim): void {
    const { uid = '' } = metadata;
    if (!answer.status?.providerID) return;
    if (this.#launched.has(uid)) {
      this.#deps.report({ invariant: 'double', detail: `asked for a second instance for claim ${metadata.name}` });
    }
    this.#launched.add(uid);
  }

  #findPod(namespace: string, name: string): Promise<Pod | undefined> {
    return unlessGone(this.#deps.client.get<Pod>(PODS, { namespace, name }));
  }

  /** Infinity if nothing sets a deadline; undefined if the node of the pod is gone, so that it runs no more. */
  async #findDeadline({ spec }: Pod): Promise<Instant | undefined> {
    const { nodes, claims } = await listInstances(this.#deps.client);
    const node = nodes.find(({ metadata }) => metadata.name === spec.nodeName);
    if (node === undefined) return undefined;
    const claim = findClaimOf(node, claims);
    return claim === undefined ? Infinity : deadlineOf(claim);
  }
}

/** The UID that a request to evict or delete a pod requires; undefined if it requires none. */
function requiredUid(body: TransportRequest['body']): string | undefined {
  const options = JSON.parse(body?.toString() || '{}') as DeleteOptions & { readonly deleteOptions?: DeleteOptions };
  return (options.deleteOptions ?? options).preconditions?.uid;
}

function textOf(deadline: Instant): string {
  return deadline === Infinity ? 'without a deadline' : `before ${new Date(deadline).toISOString()}`;
}
