import type { DisruptionReason } from '@karpenter-ts/apis';
import type { ApiFault } from '../faults/api-fault.ts';
import type { JoinFault } from '../cloud/join-fault.ts';
import type { CloudFault, CloudMethod } from '../faults/cloud-fault.ts';
import type { AwsStep } from './aws-step.ts';

/**
 * A world as data: what there is, and what happens when. All of it follows from the seed, and any part of it is a world
 * too, which is how failures are shrunk. Times are milliseconds; steps count theirs from the start of the world.
 */
export interface WorldPlan {
  readonly seed: number;
  /**
   * `kwok`: instances are Nodes, as of the KWOK provider. `fleet`: instances that live on without a controller. `aws`: those
   * of the AWS provider on the emulator.
   */
  readonly cloud: 'kwok' | 'fleet' | 'aws';
  /** The gate NodeRepair. */
  readonly repairs: boolean;
  /** How many operators run at a time. Two compete for a lease, which the one has to wait for when the other dies. */
  readonly replicas: 1 | 2;
  readonly pools: readonly PoolPlan[];
  readonly workloads: readonly WorkloadPlan[];
  readonly steps: readonly PlannedStep[];
}

/** A NodePool, beside the one that is always there: see `poolManifests`. */
export interface PoolPlan {
  readonly name: string;
  readonly weight: number;
  readonly cpuLimit?: number;
  readonly isTainted: boolean;
  /** The API's default, 720h, unless given. */
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
  /** The only capacity type it buys; any unless given. */
  readonly capacityType?: 'spot' | 'on-demand';
  /** The API's default unless given: consolidation at once, of a tenth of the nodes at a time. */
  readonly disruption?: DisruptionPlan;
  /** Whether its Nodes say that they are not to be disrupted. */
  readonly protectsNodes?: boolean;
}

/** How nodes of a pool may be disrupted. */
export interface DisruptionPlan {
  readonly consolidationPolicy: 'WhenEmpty' | 'WhenEmptyOrUnderutilized' | 'Balanced';
  readonly consolidateAfter: string;
  readonly budgets: readonly BudgetPlan[];
}

/** A budget of a NodePool. The observer knows the schedules `M * * * *` and, with steps, every M minutes; in minutes. */
export interface BudgetPlan {
  readonly nodes: string;
  readonly reasons?: readonly DisruptionReason[];
  readonly schedule?: string;
  readonly duration?: string;
}

/** A workload of the namespace `default`. */
export interface WorkloadPlan {
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job';
  readonly replicas: number;
  readonly cpu: string;
  readonly graceSeconds: number;
  /** Whether its pods may go to tainted pools. */
  readonly tolerates: boolean;
  /** The value of `karpenter.sh/do-not-disrupt`. */
  readonly protection?: string;
  /** How many of its pods its PodDisruptionBudget lets go at a time; none without a budget. */
  readonly maxUnavailable?: 0 | 1;
  /** Whether its pods have a finalizer that nobody removes before the world calms down. */
  readonly hasFinalizer: boolean;
  readonly hasVolume: boolean;
  /** Whether its pods must be spread over nodes. */
  readonly isSpread: boolean;
}

export interface PlannedStep {
  readonly at: number;
  readonly step: Step;
}

/** A number in [0, 1): which of the objects that there are when the step is taken, in the order of their names. */
export type Choice = number;

/** One thing that happens. */
export type Step =
  | { readonly kind: 'scale'; readonly workload: string; readonly replicas: number }
  | { readonly kind: 'roll-out'; readonly workload: string }
  | { readonly kind: 'delete-pod' | 'delete-claim' | 'delete-node'; readonly choice: Choice }
  | { readonly kind: 'delete-pool'; readonly pool: string; readonly backAfter: number }
  | { readonly kind: 'change-template'; readonly pool: string }
  | { readonly kind: 'change-requirements'; readonly pool: string; readonly capacityType: 'spot' | 'on-demand' }
  | { readonly kind: 'change-disruption'; readonly pool: string; readonly disruption: DisruptionPlan }
  | { readonly kind: 'protect-node'; readonly choice: Choice; readonly duration: number }
  | { readonly kind: 'drift-instances'; readonly duration: number }
  | { readonly kind: 'delete-node-class'; readonly backAfter: number }
  | { readonly kind: 'break-node'; readonly choice: Choice; readonly fault: NodeFault; readonly duration: number }
  | { readonly kind: 'strip-labels'; readonly choice: Choice }
  | { readonly kind: 'end-instance'; readonly choice: Choice }
  | { readonly kind: 'hold-volume'; readonly choice: Choice }
  | { readonly kind: 'join-fault'; readonly fault: JoinFault; readonly times: number }
  | { readonly kind: 'cloud-fault'; readonly method: CloudMethod; readonly fault: CloudFault; readonly times: number }
  | { readonly kind: 'api-fault'; readonly requests: Requests; readonly fault: ApiFault; readonly times: number }
  | { readonly kind: 'cut-watches' }
  | { readonly kind: 'outage'; readonly duration: number }
  | { readonly kind: 'kill'; readonly at: KillPoint; readonly downFor: number }
  | { readonly kind: 'jump-clock'; readonly by: number }
  | { readonly kind: 'aws'; readonly aws: AwsStep };

/** How a node may fail for a while. */
export type NodeFault = 'lost' | 'unhealthy' | 'slow-drain';

/** The nth request of the operator from now on to which this applies; all if none is named. */
export interface Requests {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Part of the path, such as `nodeclaims`. */
  readonly path?: string;
  readonly nth: number;
}

/** The call at which a controller dies: before it has any effect, or after it, so that only the answer is lost. */
export type KillPoint =
  | { readonly kind: 'now' }
  | { readonly kind: 'write'; readonly nth: number; readonly when: 'before' | 'after' }
  | { readonly kind: 'cloud'; readonly method: 'create' | 'delete'; readonly when: 'before' | 'after' }
  /** A call to AWS that changes something. */
  | { readonly kind: 'aws'; readonly nth: number; readonly when: 'before' | 'after' };
