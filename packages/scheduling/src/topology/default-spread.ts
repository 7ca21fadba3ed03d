import type { LabelSelectorSpec, OwnerReference, Pod, TopologySpreadConstraint } from '@karpenter-ts/kubernetes';
import { toExpressions } from '../model/pods/selector.ts';

/** A constraint for pods that have none; whom it spreads is worked out for each pod. */
export type DefaultConstraint = Omit<TopologySpreadConstraint, 'labelSelector' | 'matchLabelKeys'>;

/** What says which pods belong together. */
export interface Workloads {
  /**
   * Selectors of Services of a namespace, at least of those that select pods with these labels: the fewer others, the
   * less work. A Service without a selector is left out.
   */
  servicesOf(namespace: string, labels: Readonly<Record<string, string>>): Iterable<Readonly<Record<string, string>>>;
  /** Selector of the controller, if it is a ReplicationController, ReplicaSet or StatefulSet that can be found. */
  findSelector(namespace: string, owner: OwnerReference): LabelSelectorSpec | undefined;
}

/**
 * The pod as the cluster's scheduler treats it: with the default constraints, if it has none of its own and belongs to
 * something (spec 02 §17). The pod itself is not changed.
 */
export function withDefaultSpread(pod: Pod, defaults: readonly DefaultConstraint[], workloads: Workloads): Pod {
  if (defaults.length === 0 || (pod.spec.topologySpreadConstraints?.length ?? 0) > 0) return pod;
  const labelSelector = findCompanions(pod, workloads);
  if (labelSelector === undefined) return pod;
  const topologySpreadConstraints = defaults.map((constraint) => ({ ...constraint, labelSelector }));
  return { ...pod, spec: { ...pod.spec, topologySpreadConstraints } };
}

/** Who the pod is to be spread from: those its Services and its controller select. */
function findCompanions({ metadata }: Pod, workloads: Workloads): LabelSelectorSpec | undefined {
  const { namespace = 'default', labels = {}, ownerReferences = [] } = metadata;
  const matchLabels: Record<string, string> = {};
  for (const selector of workloads.servicesOf(namespace, labels)) {
    if (Object.entries(selector).every(([key, value]) => labels[key] === value)) Object.assign(matchLabels, selector);
  }
  const matchExpressions: NonNullable<LabelSelectorSpec['matchExpressions']>[number][] = [];
  const controller = ownerReferences.find((owner) => owner.controller === true);
  if (controller !== undefined) {
    const selector = workloads.findSelector(namespace, controller);
    if (controller.kind === 'ReplicationController') Object.assign(matchLabels, selector?.matchLabels);
    else matchExpressions.push(...toExpressions(selector ?? {}));
  }
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) return undefined;
  return { matchLabels, matchExpressions };
}
