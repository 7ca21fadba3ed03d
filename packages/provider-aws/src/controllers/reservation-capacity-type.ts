import { AWS_LABELS, CAPACITY_TYPE_LABEL, NODE_CLAIMS, type NodeClaim, REGISTERED_LABEL } from '@karpenter-ts/apis';
import type { CloudProvider, ProviderCaches } from '@karpenter-ts/cloudprovider';
import { type ApiObject, type Node, NODES, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  combineErrors,
  type Controller,
  isConflict,
  LoggedRef,
  MINUTE,
  singleton,
  StructuredError,
  unlessGone,
} from '@karpenter-ts/runtime';
import { within, withContext } from '../api/with-context.ts';

export interface ReservationCapacityTypeDeps {
  readonly provider: Pick<CloudProvider, 'list'>;
  readonly client: CancellableClient;
  readonly caches: {
    readonly nodeClaims: Pick<ProviderCaches['nodeClaims'], 'list'>;
    readonly nodes: Pick<ProviderCaches['nodes'], 'byIndex'>;
  };
}

const PERIOD = 1 * MINUTE;

/** What an on-demand instance has instead of its reservation. */
const ON_DEMAND_LABELS = {
  [CAPACITY_TYPE_LABEL]: 'on-demand',
  [AWS_LABELS.capacityReservationId]: null,
  [AWS_LABELS.capacityReservationType]: null,
  [AWS_LABELS.capacityReservationInterruptible]: null, // upstream leaves this one behind
};

/**
 * Turns NodeClaims and Nodes into on-demand ones when their reservation has ended and the instance goes on without it
 * (spec 07 §23). Nothing is ever promoted to reserved.
 */
export function reservationCapacityTypeController(deps: ReservationCapacityTypeDeps): Controller {
  return singleton('capacityreservation.capacitytype', async (signal, logger) => {
    const instances = await within('listing instance types', deps.provider.list(signal));
    const onDemand = new Set(instances.filter(isOnDemand).map(({ status }) => status?.providerID));
    const demotable = deps.caches.nodeClaims
      .list()
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && onDemand.has(status?.providerID));
    const updated: LoggedRef[] = [];
    const errors: unknown[] = [];
    for (const nodeClaim of demotable) {
      try {
        if (await demote(nodeClaim, deps, signal)) updated.push(new LoggedRef(nodeClaim.metadata));
      } catch (error) {
        errors.push(error);
      }
    }
    if (updated.length > 0) logger.debug('updated capacity type for nodeclaims', { NodeClaims: updated });
    if (errors.length > 0 && errors.every((error) => isConflict(error))) return { requeueAfter: 0 };
    if (errors.length > 0) throw combineErrors(errors);
    return { requeueAfter: PERIOD };
  });
}

/** The Node is looked at even if the NodeClaim is right already: it may have come later. */
async function demote(
  nodeClaim: NodeClaim,
  { client, caches }: ReservationCapacityTypeDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const nodes = caches.nodes.byIndex('providerId', nodeClaim.status?.providerID ?? '').filter(isRegistered);
  const objects: readonly (readonly [ResourceType, ApiObject])[] = [
    [NODE_CLAIMS, nodeClaim],
    ...nodes.map((node) => [NODES, node] as const),
  ];
  const reserved = objects.filter(([, object]) => isReserved(object));
  for (const [type, { metadata }] of reserved) {
    const body = { metadata: { labels: ON_DEMAND_LABELS } };
    const patch = client.patch(type, { name: metadata.name }, { type: 'merge', body }, {}, signal);
    await unlessGone(patch).catch((error: unknown) => {
      throw isConflict(error) ? error : failedPatch(type, metadata.name, error);
    });
  }
  return reserved.length > 0;
}

function failedPatch({ kind }: ResourceType, name: string, cause: unknown): Error {
  const { message } = withContext(`patching ${kind.toLowerCase()}`, cause);
  return new StructuredError(message, { [kind]: new LoggedRef({ name }) }, { cause });
}

function isOnDemand({ metadata }: ApiObject): boolean {
  return metadata.labels?.[CAPACITY_TYPE_LABEL] === 'on-demand';
}

function isReserved({ metadata }: ApiObject): boolean {
  return metadata.labels?.[CAPACITY_TYPE_LABEL] === 'reserved';
}

/** Before that a Node may not have its labels yet. */
function isRegistered({ metadata }: Node): boolean {
  return metadata.deletionTimestamp === undefined && metadata.labels?.[REGISTERED_LABEL] === 'true';
}
