import { ChangeMonitor, type Logger, type SteadyClock } from '@karpenter-ts/runtime';
import type { ArcZonalShiftApi, ZonalShiftInResource } from '../api/aws-apis.ts';
import type { ZonalShiftSource } from './zonal-shift-source.ts';

export interface ZonalShiftDeps {
  readonly arcZonalShift: ArcZonalShiftApi;
  /** The cluster, which must be a resource that ARC manages. */
  readonly clusterArn: string;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

/** Zonal shifts that can be asked for anew. */
export interface RefreshableZonalShifts extends ZonalShiftSource {
  /** The ids of the zones. */
  shiftedZones(): ReadonlySet<string>;
  /** Asks ARC. If it does not answer, rejects, and what was known holds until it expires. */
  refresh(signal: AbortSignal): Promise<void>;
}

/** For clusters where zonal shift is not enabled. */
export const NO_ZONAL_SHIFTS: RefreshableZonalShifts = {
  version: 0,
  isShifted: () => false,
  shiftedZones: () => new Set(),
  refresh: async () => undefined,
};

/** The zones whose traffic ARC has shifted away, as it said last (spec 07 §25). A shift ends by itself when it expires. */
export class ZonalShifts implements RefreshableZonalShifts {
  readonly #deps: ZonalShiftDeps;
  readonly #changes: ChangeMonitor;
  /** When the shift away from a zone expires, by the zone's id. */
  #expiries: ReadonlyMap<string, number> = new Map();
  #version = 0;

  constructor(deps: ZonalShiftDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
  }

  get version(): number {
    this.#endExpired();
    return this.#version;
  }

  isShifted(zoneId: string): boolean {
    const expiry = this.#expiries.get(zoneId);
    return expiry !== undefined && this.#deps.clock.now() < expiry;
  }

  shiftedZones(): ReadonlySet<string> {
    this.#endExpired();
    return new Set(this.#expiries.keys());
  }

  async refresh(signal: AbortSignal): Promise<void> {
    const { arcZonalShift, clusterArn, clock, logger } = this.#deps;
    const { zonalShifts = [] } = await arcZonalShift
      .getManagedResource({ resourceIdentifier: clusterArn }, signal)
      .catch((cause: unknown) => {
        throw new Error(`getting zonal shifts: ${(cause as Error).message}`, { cause });
      });
    this.#replace(appliedShifts(zonalShifts, clock.now()));
    const zones = [...this.#expiries.keys()];
    if (this.#changes.hasChanged('zones', zones)) logger.debug('successfully updated zonal shifts', { zones });
  }

  #endExpired(): void {
    const now = this.#deps.clock.now();
    for (const expiry of this.#expiries.values()) {
      if (now < expiry) continue;
      this.#replace(new Map([...this.#expiries].filter(([, end]) => now < end)));
      return;
    }
  }

  #replace(expiries: ReadonlyMap<string, number>): void {
    const before = this.#expiries;
    const isSame = expiries.size === before.size && [...expiries].every(([zone, end]) => before.get(zone) === end);
    if (isSame) return;
    this.#expiries = expiries;
    this.#version++;
  }
}

/** When each zone's shift expires. A practice run that is announced, or a shift that was refused, is not applied. */
function appliedShifts(shifts: readonly ZonalShiftInResource[], now: number): ReadonlyMap<string, number> {
  const expiries = new Map<string, number>();
  for (const { awayFrom, appliedStatus, expiryTime } of shifts) {
    const expiry = expiryTime?.getTime() ?? Number.POSITIVE_INFINITY;
    if (awayFrom === undefined || appliedStatus !== 'APPLIED' || expiry <= now) continue;
    expiries.set(awayFrom, Math.max(expiry, expiries.get(awayFrom) ?? 0));
  }
  return expiries;
}
