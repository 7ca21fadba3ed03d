import { HOUR } from '../../clock.ts';
import { ApiError } from '../../wire/api-error.ts';
import { restJsonProtocol } from '../../wire/rest-json-protocol.ts';
import type { Service, ServiceDeps } from '../service.ts';

/** What operators do with the console of ARC. Resources are named by their ARN. */
export interface ArcZonalShiftLevers {
  /** From now on the resource's traffic can be shifted, as it can for a cluster with zonal shift enabled. */
  manage(arn: string): void;
  unmanage(arn: string): void;
  /** Shifts the resource's traffic away from a zone, named by its id. Returns the id of the shift. */
  startShift(shift: NewZonalShift): string;
  /** Ends a shift before it expires. */
  cancelShift(id: string): void;
}

export interface NewZonalShift {
  readonly resource: string;
  readonly awayFrom: string;
  /** In milliseconds; three hours unless given. */
  readonly expiresIn?: number;
  /** APPLIED unless given. One that waits for another to end is NOT_APPLIED. */
  readonly appliedStatus?: 'APPLIED' | 'NOT_APPLIED';
}

interface ZonalShift {
  readonly zonalShiftId: string;
  readonly resourceIdentifier: string;
  readonly awayFrom: string;
  readonly startTime: Date;
  readonly expiryTime: Date;
  readonly appliedStatus: 'APPLIED' | 'NOT_APPLIED';
  readonly comment: string;
  readonly shiftType: 'ZONAL_SHIFT';
}

/** There is no SDK client of it in every registry, so the types are ours. */
interface GetManagedResourceResponse {
  readonly arn: string;
  readonly name: string;
  readonly appliedWeights: Readonly<Record<string, number>>;
  readonly zonalShifts: readonly ZonalShift[];
  readonly zonalAutoshiftStatus: 'DISABLED';
}

/** Traffic shifted away from zones. */
export function createArcZonalShift(deps: ServiceDeps): {
  readonly service: Service;
  readonly levers: ArcZonalShiftLevers;
} {
  const { clock, random } = deps;
  const resources = new Map<string, ZonalShift[]>();
  const shiftsOf = (arn: string): ZonalShift[] => {
    const shifts = resources.get(arn);
    if (shifts === undefined) throw notManaged(arn);
    const left = shifts.filter(({ expiryTime }) => expiryTime.getTime() > clock.now());
    resources.set(arn, left);
    return left;
  };
  const service: Service = {
    name: 'arc-zonal-shift',
    permissions: (operation, { resourceIdentifier }: { readonly resourceIdentifier: string }) => [
      { action: `arc-zonal-shift:${operation}`, resource: resourceIdentifier, context: {} },
    ],
    protocol: restJsonProtocol([
      { method: 'GET', path: '/managedresources/{resourceIdentifier}', operation: 'GetManagedResource' },
    ]),
    handlers: {
      GetManagedResource: ({
        resourceIdentifier: arn,
      }: {
        readonly resourceIdentifier: string;
      }): GetManagedResourceResponse => ({
        arn,
        name: arn.slice(arn.lastIndexOf('/') + 1),
        appliedWeights: weightsOf(shiftsOf(arn)),
        zonalShifts: shiftsOf(arn),
        zonalAutoshiftStatus: 'DISABLED',
      }),
    },
  };
  const levers: ArcZonalShiftLevers = {
    manage: (arn) => void resources.set(arn, resources.get(arn) ?? []),
    unmanage: (arn) => void resources.delete(arn),
    startShift: ({ resource, awayFrom, expiresIn = 3 * HOUR, appliedStatus = 'APPLIED' }) => {
      const zonalShiftId = random.uuid();
      shiftsOf(resource).push({
        zonalShiftId,
        resourceIdentifier: resource,
        awayFrom,
        startTime: new Date(clock.now()),
        expiryTime: new Date(clock.now() + expiresIn),
        appliedStatus,
        comment: 'started by a lever',
        shiftType: 'ZONAL_SHIFT',
      });
      return zonalShiftId;
    },
    cancelShift: (id) => {
      for (const [arn, shifts] of resources)
        resources.set(
          arn,
          shifts.filter(({ zonalShiftId }) => zonalShiftId !== id),
        );
    },
  };
  return { service, levers };
}

/** What share of the traffic a zone gets: none if a shift away from it is in force. */
function weightsOf(shifts: readonly ZonalShift[]): Readonly<Record<string, number>> {
  return Object.fromEntries(
    shifts.filter(({ appliedStatus }) => appliedStatus === 'APPLIED').map(({ awayFrom }) => [awayFrom, 0]),
  );
}

function notManaged(arn: string): ApiError {
  return new ApiError('ResourceNotFoundException', `Resource not found: ${arn}`, { status: 404 });
}
