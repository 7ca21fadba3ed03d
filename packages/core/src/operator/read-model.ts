import type { LastPlan, MadePlan } from '../planning/last-plan.ts';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { DecisionRing } from '../state/decision-ring.ts';

/** What the process knows and has decided, for those who explain and show it. It can only be read. */
export interface ReadModel {
  readonly cluster: Pick<ClusterModel, 'snapshot' | 'revision' | 'find' | 'usageOf'> & {
    readonly decisions: Pick<ClusterModel['decisions'], 'find' | 'size'>;
  };
  /** The last plan for pending pods; undefined until the first one is made. */
  readonly lastPlan: MadePlan | undefined;
  /** The last decisions. */
  readonly decisions: Pick<DecisionRing, 'list'>;
}

export function readModelOf(cluster: ClusterModel, lastPlan: LastPlan, decisions: DecisionRing): ReadModel {
  return {
    cluster,
    get lastPlan() {
      return lastPlan.made;
    },
    decisions,
  };
}
