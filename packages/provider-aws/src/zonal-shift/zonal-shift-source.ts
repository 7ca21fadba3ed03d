/** The zones that traffic is shifted away from, by ARC zonal shift. */
export interface ZonalShiftSource {
  /** Rises whenever the answer for a zone may have changed. */
  readonly version: number;
  /** False for every zone where zonal shift is not enabled. */
  isShifted(zoneId: string): boolean;
}
