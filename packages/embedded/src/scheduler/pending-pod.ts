import type { PodClass } from './model/pod-class.ts';

/** A pod that has no node yet. */
export interface PendingPod {
  /** Namespace and name. */
  readonly key: string;
  readonly pod: PodClass;
  readonly priority: number;
  /** The node promised to it, which is tried before all others. */
  readonly nominatedNode: string | undefined;
}
