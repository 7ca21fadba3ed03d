import {
  admits,
  AWS_LABELS,
  AWS_PROFILE,
  type EC2NodeClass,
  NODE_POOLS,
  type NodePool,
  toRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { ProviderCaches } from '@karpenter-ts/cloudprovider';
import {
  type Controller,
  type EventDraft,
  type EventRecorder,
  SECOND,
  singleton,
  subjectOf,
} from '@karpenter-ts/runtime';
import { isManagedNodePool } from '../node-class/managed.ts';
import type { RefreshableZonalShifts } from '../zonal-shift/zonal-shifts.ts';

export interface ZonalShiftControllerDeps {
  readonly zonalShifts: Pick<RefreshableZonalShifts, 'refresh' | 'shiftedZones'>;
  readonly caches: { readonly nodePools: Pick<ProviderCaches['nodePools'], 'list'> };
  readonly nodeClasses: { get(name: string): EC2NodeClass | undefined };
  readonly events: EventRecorder;
}

const PERIOD = 30 * SECOND;

/** Keeps up with zonal shifts, and tells NodePools when they lose the offerings of a zone or get them back. */
export function zonalShiftController({ zonalShifts, caches, ...deps }: ZonalShiftControllerDeps): Controller {
  let before: ReadonlySet<string> = new Set();
  return singleton('zonalshift', async (signal) => {
    await zonalShifts.refresh(signal).catch((cause: unknown) => {
      throw new Error(`updating zonal shifts: ${(cause as Error).message}`, { cause });
    });
    const shifted = zonalShifts.shiftedZones();
    const changes: readonly (readonly [string, typeof zoneShifted])[] = [
      ...[...shifted.difference(before)].map((zoneId) => [zoneId, zoneShifted] as const),
      ...[...before.difference(shifted)].map((zoneId) => [zoneId, zoneRestored] as const),
    ];
    before = shifted;
    for (const [zoneId, event] of changes) {
      for (const nodePool of caches.nodePools.list()) {
        const zone = findZone(nodePool, zoneId, deps.nodeClasses);
        if (zone !== undefined) deps.events.publish(event(nodePool, zone, zoneId));
      }
    }
    return { requeueAfter: PERIOD };
  });
}

/**
 * The name of the zone, if the NodePool can have Nodes there: its NodeClass has a subnet there, and its requirements
 * admit both names of the zone. A NodePool whose NodeClass is gone has no Nodes anywhere.
 */
function findZone(
  nodePool: NodePool,
  zoneId: string,
  nodeClasses: ZonalShiftControllerDeps['nodeClasses'],
): string | undefined {
  if (!isManagedNodePool(nodePool)) return undefined;
  const { nodeClassRef, requirements } = nodePool.spec.template.spec;
  const subnets = nodeClasses.get(nodeClassRef.name)?.status?.subnets ?? [];
  const zone = subnets.find(({ zoneID }) => zoneID === zoneId)?.zone;
  if (zone === undefined) return undefined;
  const asked = toRequirements(requirements, AWS_PROFILE);
  const admitsLabel = (key: string, value: string): boolean => {
    const requirement = asked.get(key);
    return requirement === undefined || admits(requirement, value);
  };
  return admitsLabel(ZONE_LABEL, zone) && admitsLabel(AWS_LABELS.zoneId, zoneId) ? zone : undefined;
}

function zoneShifted(nodePool: NodePool, zone: string, zoneId: string): EventDraft {
  return {
    on: subjectOf(NODE_POOLS, nodePool),
    type: 'Warning',
    reason: 'ZonalShiftActive',
    message: `Zonal shift detected: offerings in zone ${zone} (${zoneId}) are unavailable for this NodePool`,
    dedupe: [nodePool.metadata.uid ?? '', zoneId],
  };
}

function zoneRestored(nodePool: NodePool, zone: string, zoneId: string): EventDraft {
  return {
    on: subjectOf(NODE_POOLS, nodePool),
    type: 'Normal',
    reason: 'ZonalShiftCleared',
    message: `Zonal shift cleared: offerings in zone ${zone} (${zoneId}) are restored for this NodePool`,
    dedupe: [nodePool.metadata.uid ?? '', zoneId],
  };
}
