/** What a random fleet is to be like. */
export interface FleetTraits {
  /** Pods that ask nothing of each other, and neither limits nor reservations: each pod's fate is its own. */
  readonly independent: boolean;
  /**
   * Can be carried out: objects an API server takes as they are, and rules that Karpenter and kube-scheduler read alike.
   * What that leaves out is said where it is made.
   */
  readonly portable: boolean;
  /**
   * Whoever loses his place to another can be given one like it: neither limits nor reservations, pools for all labels,
   * types to be had in every way, and nobody kept away by others than his own kind.
   */
  readonly forgiving: boolean;
  /** Types with GPUs, and some others, are what a launch takes last. */
  readonly lastResorts: boolean;
  /** How many workloads at most. */
  readonly apps: number;
}
