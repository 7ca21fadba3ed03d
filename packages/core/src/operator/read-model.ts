import type { DisruptionPass, LastPass } from '../disruption/reports/last-pass.ts';
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
  /** The last pass of disruption; undefined until the first one has read the cluster. */
  readonly lastPass: DisruptionPass | undefined;
  /** The last decisions. */
  readonly decisions: Pick<DecisionRing, 'list'>;
}

/** What the read model is of. */
interface Parts {
  readonly cluster: ClusterModel;
  readonly lastPlan: LastPlan;
  readonly lastPass: LastPass;
  readonly decisions: DecisionRing;
}

export function readModelOf({ cluster, lastPlan, lastPass, decisions }: Parts): ReadModel {
  return {
    cluster,
    get lastPlan() {
      return lastPlan.made;
    },
    get lastPass() {
      return lastPass.pass;
    },
    decisions,
  };
}
