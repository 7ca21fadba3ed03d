/** How many instances each capacity reservation has left: what EC2 last said, and what has been launched since. */
export interface ReservationCounter {
  /** Rises whenever a count may have changed. */
  readonly version: number;
  /** 0 for a reservation that EC2 has not told of. */
  available(reservationId: string): number;
  /** An instance was launched into the reservation. */
  launched(reservationId: string): void;
  /** An instance of the reservation is gone. */
  terminated(reservationId: string): void;
  /** EC2 says that nothing is left. */
  exhausted(reservationId: string): void;
}
