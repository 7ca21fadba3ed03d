import type { Scenario } from '@karpenter-ts/apis/manifests';

type Spec = Scenario['spec'];

/**
 * The scenario with `pods` pods to begin with: workloads keep their share of the whole, and steps scale to the same
 * multiple as before. Pods of DaemonSets do not count: there are as many as there are nodes.
 */
export function withPodCount(spec: Spec, pods: number): Spec {
  const counted = spec.workloads.filter(({ kind }) => kind !== 'DaemonSet');
  const shares = apportion(
    pods,
    counted.map(({ replicas }) => replicas),
  );
  const replicasOf = new Map(counted.map(({ name }, index) => [name, shares[index] ?? 0]));
  const total = counted.reduce((sum, { replicas }) => sum + replicas, 0);
  const factor = total === 0 ? 1 : pods / total;
  return {
    workloads: spec.workloads.map((workload) => ({
      ...workload,
      replicas: replicasOf.get(workload.name) ?? workload.replicas,
    })),
    steps: spec.steps.map((step) =>
      step.scale ? { ...step, scale: { ...step.scale, replicas: Math.round(step.scale.replicas * factor) } } : step,
    ),
  };
}

/** Whole numbers in about the proportion of the weights that add up to `total`; what rounding leaves goes to the first. */
function apportion(total: number, weights: readonly number[]): readonly number[] {
  const sum = weights.reduce((a, b) => a + b, 0);
  if (sum === 0) return weights;
  const shares = weights.map((weight) => Math.floor((total * weight) / sum));
  let left = total - shares.reduce((a, b) => a + b, 0);
  return shares.map((share, index) => (weights[index]! > 0 && left-- > 0 ? share + 1 : share));
}
