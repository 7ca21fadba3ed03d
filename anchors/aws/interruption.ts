// One message of the interruption queue: what it says, and what becomes of the cluster.
import type { NodeClaim } from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import {
  NodeClaimsByInstance,
  parseMessage,
  processMessage,
  type ProcessDeps,
  ReservationCounts,
  UnavailableOfferings,
} from '@karpenter-ts/provider-aws/parts';
import { type EventDraft, Metrics, nullLogger, VirtualClock } from '@karpenter-ts/runtime';
import type { Comparer } from './comparison.ts';

const PREFIXES = [
  'unmarshalling the message as Metadata, ',
  'parsing event message, unmarhsalling the message as EC2SpotInstanceInterruptionWarning, ',
];

export const comparer: Comparer = {
  lines: 34,

  async answer(input) {
    const { body } = input as { readonly body: string | null };
    const cluster = new RecordedCluster();
    await cluster.receive(body ?? undefined);
    return { ...parsed(body), ...cluster.outcome() };
  },

  normalize(value) {
    const { parseError, ...rest } = value as { readonly parseError?: string };
    if (parseError === undefined) return rest;
    return { ...rest, parseError: PREFIXES.find((prefix) => parseError.startsWith(prefix)) ?? parseError };
  },
};

function parsed(body: string | null): object {
  if (body === null) return {};
  try {
    const { kind, instanceIds: instanceIDs, startTime = '0001-01-01T00:00:00Z' } = parseMessage(body);
    return { kind, instanceIDs, startTime };
  } catch (error) {
    return { parseError: (error as Error).message };
  }
}

const RESERVATION = 'cr-1';
const TYPE = 'm5.large';
const ZONE = 'us-west-2a';

/** The cluster that all lines are about. */
const NODE_CLAIMS: readonly NodeClaim[] = [
  nodeClaim(1, { 'karpenter.sh/capacity-type': 'spot' }),
  nodeClaim(2, {
    'karpenter.sh/capacity-type': 'reserved',
    'karpenter.k8s.aws/capacity-reservation-id': RESERVATION,
  }),
  nodeClaim(3, {}, { deletionTimestamp: '2026-01-02T03:04:05Z', finalizers: ['karpenter.sh/termination'] }),
];
const NODE = { metadata: { name: 'node-1' }, spec: { providerID: providerId(1) } } as Node;

class RecordedCluster {
  readonly #deleted: string[] = [];
  readonly #published: EventDraft[] = [];
  readonly #clock = new VirtualClock();
  readonly #unavailable = new UnavailableOfferings({ clock: this.#clock, logger: nullLogger });
  readonly #reservations = new ReservationCounts(this.#clock);
  #isMessageDeleted = false;

  constructor() {
    this.#reservations.counted(RESERVATION, 5);
  }

  async receive(body: string | undefined): Promise<void> {
    await processMessage(body, { ...this.#deps(), logger: nullLogger }, new AbortController().signal);
    this.#isMessageDeleted = true;
  }

  outcome(): object {
    const isUnavailable = (capacityType: string): boolean =>
      this.#unavailable.isUnavailable({ instanceType: TYPE, zone: ZONE, capacityType }, []);
    return {
      deletedClaims: [...this.#deleted].sort(),
      events: this.#published.map(({ on, type, reason, message }) => `${on.name} ${type} ${reason}: ${message}`).sort(),
      messageDeleted: this.#isMessageDeleted,
      reservationAvailable: this.#reservations.available(RESERVATION),
      spotUnavailable: isUnavailable('spot'),
      onDemandUnavailable: isUnavailable('on-demand'),
    };
  }

  #deps(): ProcessDeps {
    return {
      client: {} as ProcessDeps['client'], // no message makes a drain forceful
      caches: { nodes: { byIndex: (_index, id) => (id === NODE.spec?.providerID ? [NODE] : []) } },
      clock: this.#clock,
      metrics: new Metrics(this.#clock),
      events: { publish: (...drafts) => void this.#published.push(...drafts) },
      nodeClaims: new NodeClaimsByInstance({
        get: (name) => NODE_CLAIMS.find(({ metadata }) => metadata.name === name),
        addHandler: (handler) => {
          for (const one of NODE_CLAIMS) handler.onAdd?.(one, true);
          return () => undefined;
        },
      }),
      unavailable: this.#unavailable,
      reservations: this.#reservations,
      deleteNodeClaim: async ({ metadata }) => {
        if (metadata.deletionTimestamp !== undefined) return 'already-deleting';
        this.#deleted.push(metadata.name);
        return 'deleted';
      },
    };
  }
}

function nodeClaim(number: number, labels: Readonly<Record<string, string>>, metadata: object = {}): NodeClaim {
  const common = {
    'karpenter.sh/nodepool': 'default',
    'node.kubernetes.io/instance-type': TYPE,
    'topology.kubernetes.io/zone': ZONE,
  };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: `claim-${number}`, uid: `uid-${number}`, labels: { ...common, ...labels }, ...metadata },
    status: { providerID: providerId(number) },
  } as unknown as NodeClaim;
}

function providerId(number: number): string {
  return `aws:///${ZONE}/i-${number}`;
}
