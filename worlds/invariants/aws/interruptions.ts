import type { NodeClaim } from '@karpenter-ts/apis';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import {
  findCondition,
  type Pod,
  type PodDisruptionBudget,
  POD_DISRUPTION_BUDGETS,
  PODS,
} from '@karpenter-ts/kubernetes';
import { type Client, type Clock, type Instant, SECOND } from '@karpenter-ts/runtime';
import type { SentMessage } from '../../cloud/message-courier.ts';
import { listInstances, podsOn } from '../../cluster/snapshot.ts';
import { blocksDrain, isProtected } from '../drain-rules.ts';
import type { Violation } from '../violation.ts';

interface Deps {
  readonly client: Client;
  readonly clock: Clock;
  readonly report: (violation: Violation) => void;
  /** Until when anything has come between an operator and the API server or AWS; operators that start included. */
  readonly troubledUntil: () => Instant;
  /** Since when an operator that reads caches knows what is so now. */
  readonly knownSince: () => Instant;
}

/** A message that says of an instance that it will end, or has. */
interface Notice {
  readonly instanceId: string;
  readonly kind: string;
}

interface Warning {
  readonly at: Instant;
  readonly isOnTime: boolean;
}

/** A cluster without trouble for so long before a warning is expected to drain in time. */
const WARMED_UP = 90 * SECOND;
/** A pod that comes to the node later than that after the warning cannot be blamed on anybody. */
const SOON = 20 * SECOND;

/** Messages about instances, what operators do about them, and whether they do it in time. */
export class Interruptions {
  readonly #deps: Deps;
  readonly #noticed = new Set<string>(); // `kind instance`
  readonly #warnings = new Map<string, Warning>();

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  sent({ body, isOnTime }: SentMessage): void {
    for (const { kind, instanceId } of noticesOf(body)) {
      this.#noticed.add(`${kind} ${instanceId}`);
      if (kind === 'spot_interrupted') this.#warnings.set(instanceId, { at: this.#deps.clock.now(), isOnTime });
    }
  }

  /** Whether any message has said that the instance ends. */
  isNoticed(id: string): boolean {
    return [...KINDS_OF_MESSAGES].some((kind) => this.#noticed.has(`${kind} ${id}`));
  }

  /** An operator says that it deletes a NodeClaim because of a message: there was one. */
  async deleted(nodeClaim: string, kind: string): Promise<void> {
    if (!KINDS_OF_MESSAGES.has(kind)) return;
    const claims = (await this.#deps.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
    const claim = claims.find(({ metadata }) => metadata.name === nodeClaim);
    const id = instanceIdOf(claim);
    if (id === undefined || this.#noticed.has(`${kind} ${id}`)) return;
    const detail = `${nodeClaim} is deleted because of ${kind}, of which ${id} was never told`;
    this.#deps.report({ invariant: 'interruption', detail });
  }

  /** An operator is about to delete a message: what it says has been acted on. Returns the spot instances of NodeClaims that it is about. */
  async forgetting(body: string): Promise<readonly string[]> {
    const notices = noticesOf(body);
    if (notices.length === 0) return [];
    const since = this.#deps.knownSince();
    const claims = (await this.#deps.client.listAll<NodeClaim>(NODE_CLAIMS)).items;
    const known = notices.filter(({ instanceId }) => claims.some((one) => instanceIdOf(one) === instanceId));
    for (const { instanceId, kind } of known) {
      const claim = claims.find((one) => instanceIdOf(one) === instanceId);
      if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) continue;
      const written = Date.parse(findCondition(claim, 'Launched')?.lastTransitionTime ?? '');
      if (!(written < since)) continue; // the operator may not know whose instance it is
      const detail = `the message ${kind} of ${instanceId} is deleted, and ${claim.metadata.name} is not`;
      this.#deps.report({ invariant: 'interruption', detail });
    }
    return known.filter(({ kind }) => kind === 'spot_interrupted').map(({ instanceId }) => instanceId);
  }

  /** EC2 takes the instance back: whatever could be evicted has been. */
  async reclaimed(instanceId: string): Promise<void> {
    const { client, clock, troubledUntil, report } = this.#deps;
    const warning = this.#warnings.get(instanceId);
    const now = clock.now();
    if (warning === undefined || !warning.isOnTime || troubledUntil() > warning.at - WARMED_UP) return;
    const { nodes, claims } = await listInstances(client);
    const node = nodes.find(({ spec }) => spec?.providerID?.endsWith(`/${instanceId}`));
    const claim = claims.find((one) => instanceIdOf(one) === instanceId);
    if (node === undefined || claim === undefined) return;
    // A Node that has joined only since the warning is not known for long enough.
    if (Date.parse(node.metadata.creationTimestamp ?? '') > warning.at - SOON) return;
    const pods = (await client.listAll<Pod>(PODS)).items;
    const budgets = (await client.listAll<PodDisruptionBudget>(POD_DISRUPTION_BUDGETS)).items;
    const left = podsOn(node.metadata.name, pods).filter(
      (pod) =>
        blocksDrain(pod) &&
        !isProtected(pod, now) &&
        !budgets.some((budget) => isOf(budget, pod)) &&
        Date.parse(pod.metadata.creationTimestamp ?? '') < warning.at,
    );
    if (left.length === 0) return;
    const names = left.map(({ metadata }) => metadata.name).join(', ');
    const detail = `${node.metadata.name} was warned ${(now - warning.at) / SECOND} s ago, and ${names} were not evicted`;
    report({ invariant: 'drain', detail });
  }
}

function isOf({ metadata, spec }: PodDisruptionBudget, pod: Pod): boolean {
  return (
    metadata.namespace === pod.metadata.namespace &&
    spec.selector?.matchLabels?.['app'] === pod.metadata.labels?.['app']
  );
}

export function instanceIdOf(claim: NodeClaim | undefined): string | undefined {
  return claim?.status?.providerID?.split('/').at(-1);
}

const KINDS_OF_MESSAGES: ReadonlySet<string> = new Set([
  'spot_interrupted',
  'instance_terminated',
  'instance_stopped',
  'scheduled_change',
]);

interface Envelope {
  readonly 'detail-type'?: string;
  readonly detail?: {
    readonly 'instance-id'?: string;
    readonly state?: string;
    readonly affectedEntities?: readonly { readonly entityValue?: string }[];
  };
}

/** The instances that will not last, as a message says. */
function noticesOf(body: string): readonly Notice[] {
  const { 'detail-type': type, detail = {} } = envelopeOf(body);
  const instanceId = detail['instance-id'] ?? '';
  switch (type) {
    case 'EC2 Spot Instance Interruption Warning':
      return instanceId === '' ? [] : [{ kind: 'spot_interrupted', instanceId }];
    case 'EC2 Instance State-change Notification':
      return ['shutting-down', 'terminated'].includes(detail.state ?? '')
        ? [{ kind: 'instance_terminated', instanceId }]
        : [];
    case 'AWS Health Event':
      return (detail.affectedEntities ?? []).map(({ entityValue = '' }) => {
        return { kind: 'scheduled_change', instanceId: entityValue };
      });
    default:
      return [];
  }
}

/** Strays are in the queue, too. */
function envelopeOf(body: string): Envelope {
  try {
    return JSON.parse(body) as Envelope;
  } catch {
    return {};
  }
}
