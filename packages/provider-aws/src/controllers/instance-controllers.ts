import { type CloudProvider, meteredProvider, type ProviderDeps } from '@karpenter-ts/cloudprovider';
import type { Controller } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import type { Instances } from '../instances/instances.ts';
import type { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import type { CapacityReservations } from '../reservations/capacity-reservations.ts';
import type { RefreshableZonalShifts } from '../zonal-shift/zonal-shifts.ts';
import { instanceGarbageCollectionController } from './instance-garbage-collection.ts';
import { instanceStatusController } from './instance-status.ts';
import { nodeClaimTaggingController } from './nodeclaim-tagging.ts';
import { reservationCapacityTypeController } from './reservation-capacity-type.ts';
import { reservationExpirationController } from './reservation-expiration.ts';
import { zonalShiftController } from './zonal-shift.ts';

export interface InstanceControllerDeps
  extends Pick<ProviderDeps, 'client' | 'caches' | 'clock' | 'events' | 'metrics' | 'deleteNodeClaim'> {
  readonly provider: CloudProvider;
  readonly ec2: Pick<Ec2Api, 'describeInstanceStatus'>;
  readonly instances: Instances;
  readonly nodeClaims: NodeClaimsByInstance;
  readonly reservations: CapacityReservations;
  readonly zonalShifts: RefreshableZonalShifts;
  readonly clusterName: string;
}

/** The controllers that look after instances from their launch to their end. */
export function instanceControllers(deps: InstanceControllerDeps): readonly Controller[] {
  const calling = (controller: string) => ({
    ...deps,
    provider: meteredProvider(deps.provider, { ...deps, controller }),
  });
  return [
    instanceGarbageCollectionController(calling('instance.garbagecollection')),
    nodeClaimTaggingController(deps),
    reservationCapacityTypeController(calling('capacityreservation.capacitytype')),
    reservationExpirationController(deps),
    instanceStatusController(deps),
    zonalShiftController({ ...deps, nodeClasses: deps.caches.nodeClasses.of(EC2_NODE_CLASSES) }),
  ];
}
