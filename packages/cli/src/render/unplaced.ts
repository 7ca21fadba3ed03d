import { adviceOn, type Explainer, podName, renderFailure, type UnschedulablePod } from '@karpenter-ts/scheduling';

/** How many reasons are told, and how many pods are named for each: the rest is in the JSON. */
const REASONS = 20;
const PODS = 3;

/** For people: why pods have no place, those with one reason together, the most frequent first. */
export function renderUnplaced(unschedulable: readonly UnschedulablePod[], explainer: Explainer): readonly string[] {
  const byFailure = [...Map.groupBy(unschedulable, ({ failure }) => failure).values()];
  byFailure.sort((a, b) => b.length - a.length);
  const told = byFailure.slice(0, REASONS).map((pods) => ({ pods, reasons: reasonsOf(pods[0]!, explainer) }));
  const groups = [...Map.groupBy(told, ({ reasons }) => reasons.join('\n')).values()];
  const rest = byFailure.slice(REASONS);
  return [
    ...groups.flatMap((group) =>
      groupLines(
        group.flatMap(({ pods }) => pods),
        group[0]!.reasons,
      ),
    ),
    ...(rest.length === 0 ? [] : [`${rest.flat().length} more pods have no place for other reasons: see -o json`]),
  ];
}

function groupLines(pods: readonly UnschedulablePod[], reasons: readonly string[]): readonly string[] {
  const names = pods.slice(0, PODS).map(({ pod }) => podName(pod));
  const more = pods.length > PODS ? ` and ${pods.length - PODS} more` : '';
  return [`no place for ${names.join(', ')}${more}:`, ...reasons.map((reason) => `  ${reason}`)];
}

function reasonsOf(unschedulable: UnschedulablePod, explainer: Explainer): readonly string[] {
  const pools = explainer.explainPod(unschedulable);
  if (pools.length === 0) return [renderFailure(unschedulable.failure)];
  return pools.map((pool) => `nodepool ${pool.nodePool}: ${adviceOn(pool)}`);
}
