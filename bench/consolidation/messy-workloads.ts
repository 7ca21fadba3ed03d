import { CAPACITY_TYPE_LABEL, DO_NOT_DISRUPT, HOSTNAME_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import type { Affinity, PodDisruptionBudget, PodSpec, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { CREATED_AT } from './cluster.ts';

/** Pods of one template. */
export interface Workload {
  readonly name: string;
  readonly namespace: string;
  /** The NodePool whose nodes its pods are on. */
  readonly nodePool: string;
  readonly cpuMilli: number;
  readonly memoryMib: number;
  /** At most one pod on a node. */
  readonly isAlone: boolean;
  /** Each pod has a volume of its own, which is in one zone. */
  readonly hasVolumes: boolean;
  /** Pods of these run on no spot node. */
  readonly onDemandOnly: boolean;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
}

const NAMESPACES: readonly string[] = ['shop', 'search', 'billing', 'data'];

/** The taint of a NodePool that takes only pods which tolerate it, by NodePool. */
export const DEDICATED: Readonly<Record<string, string>> = { critical: 'critical' };

/** A workload with some of the rules that people write. Most have one or two of them. */
export function randomWorkload(index: number, nodePool: string, random: Random): Workload {
  const labels = { app: `app-${index}`, tier: random.pick(['web', 'worker', 'cache']) };
  const isAlone = random.chance(0.08);
  const hasVolumes = random.chance(0.1);
  const onDemandOnly = hasVolumes || random.chance(0.15);
  const dedicated = DEDICATED[nodePool];
  return {
    name: labels.app,
    namespace: random.pick(NAMESPACES),
    nodePool,
    cpuMilli: random.pick([100, 200, 250, 500, 500, 1000, 1500]),
    memoryMib: random.pick([128, 256, 512, 1024, 2048, 4096]),
    isAlone,
    hasVolumes,
    onDemandOnly,
    labels,
    annotations: random.chance(0.02) ? { [DO_NOT_DISRUPT]: 'true' } : {},
    spec: {
      ...(onDemandOnly && { nodeSelector: { [CAPACITY_TYPE_LABEL]: 'on-demand' } }),
      ...(dedicated !== undefined && {
        tolerations: [{ key: 'dedicated', operator: 'Equal', value: dedicated, effect: 'NoSchedule' }],
      }),
      ...affinityOf(labels.app, isAlone, random),
      ...(random.chance(0.3) && { topologySpreadConstraints: [spreadOf(labels.app, random)] }),
    },
  };
}

function affinityOf(app: string, isAlone: boolean, random: Random): { readonly affinity?: Affinity } {
  const likes = { labelSelector: { matchLabels: { app } }, topologyKey: HOSTNAME_LABEL };
  if (isAlone) {
    return { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [likes] } } };
  }
  if (random.chance(0.1)) {
    const preferred = [{ weight: 50, podAffinityTerm: likes }];
    return { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: preferred } } };
  }
  return {};
}

/** Loose enough that it holds as the pods are placed: at random. */
function spreadOf(app: string, random: Random): TopologySpreadConstraint {
  const labelSelector = { matchLabels: { app } };
  if (random.chance(0.5)) {
    return { maxSkew: 20, topologyKey: ZONE_LABEL, whenUnsatisfiable: 'DoNotSchedule', labelSelector };
  }
  const whenUnsatisfiable = random.pick(['DoNotSchedule', 'ScheduleAnyway']);
  return { maxSkew: 4, topologyKey: HOSTNAME_LABEL, whenUnsatisfiable, labelSelector };
}

/** The PodDisruptionBudget of some workloads; a few of them allow no disruption now. */
export function randomBudget({ name, namespace, labels }: Workload, random: Random): PodDisruptionBudget | undefined {
  if (!random.chance(0.4)) return undefined;
  const budget = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, uid: `uid-of-budget-${name}`, creationTimestamp: CREATED_AT },
    spec: { selector: { matchLabels: { app: labels['app'] ?? '' } }, maxUnavailable: '10%' },
    status: { disruptionsAllowed: random.chance(0.1) ? 0 : 2 },
  };
  return budget;
}
