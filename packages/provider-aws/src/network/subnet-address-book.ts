/** How many addresses each subnet has left: what EC2 last said, less those that launches under way will take. */
export interface SubnetAddressBook {
  /** EC2 has told how many are free, so that launches under way are counted in. */
  listed(subnetId: string, free: number): void;
  /** 0 for a subnet that EC2 has not lately told of. */
  free(subnetId: string): number;
  /** A launch will take this many. The function that is returned gives them back, unless EC2 has been asked since. */
  take(subnetId: string, count: number): () => void;
  /** EC2 says that nothing is left. */
  exhausted(subnetId: string): void;
}
