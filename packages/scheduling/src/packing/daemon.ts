import { admits } from '@karpenter-ts/apis';
import type { HostPort } from '../failure.ts';
import { type TaintTable, TOLERATE_PREFER_NO_SCHEDULE } from '../model/pods/taints.ts';
import type { Amounts, Pod } from '@karpenter-ts/kubernetes';
import { podName } from '../model/pods/pod-id.ts';
import type { NodeNeeds, RequirementSet, RequirementSets } from '../model/requirements/requirement-set.ts';
import type { PodClasses, PodKind } from '../model/pods/pod-class.ts';
import { type PodShapes, usesDynamicResources } from '../model/pods/pod-shape.ts';

/** A pod that runs on every node it tolerates and matches, whatever it prefers. */
export interface Daemon {
  /** Its number among all. */
  readonly id: number;
  readonly name: string;
  readonly kind: PodKind;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  readonly tolerations: number;
  /** By required node affinity term: the node selector and that term; at least one. */
  readonly terms: readonly NodeNeeds[];
}

/** The daemons that count, with what decides where they run (spec 02 §12). */
export function daemonsOf(
  pods: readonly Pod[],
  { shapes, classes }: { readonly shapes: PodShapes; readonly classes: PodClasses },
  taints: TaintTable,
  ignoreDraRequests: boolean,
): readonly Daemon[] {
  return pods
    .filter((pod) => !(ignoreDraRequests && usesDynamicResources(pod)))
    .map((pod, id) => {
      const shape = shapes.of(pod);
      const { requests, ports, constraints } = shape;
      const { stages } = constraints;
      const { tolerations, requiredNodeTerms } = stages[0]!.preferences;
      // Relaxing drops the terms first, one by one: so many stages stand for a term each.
      const termStages = stages.slice(0, Math.max(1, requiredNodeTerms.length));
      return {
        id,
        name: podName(pod),
        kind: classes.of(pod, shape, false).kind,
        requests,
        ports,
        tolerations: taints.internTolerations([...tolerations, TOLERATE_PREFER_NO_SCHEDULE]),
        terms: termStages.map(({ strictNeeds }) => strictNeeds),
      };
    });
}

/** Whether an existing node is one a daemon will run on: judged by its first term, as upstream does. */
export function runsOnNode(
  { terms, tolerations }: Daemon,
  node: { readonly set: RequirementSet; readonly hostname: string; readonly taints: number },
  sets: RequirementSets,
  taints: TaintTable,
): boolean {
  const { set, hostname } = terms[0]!;
  if (!taints.tolerates(tolerations, node.taints) || !sets.accepts(node.set, set, 'strictly')) return false;
  return hostname === undefined || admits(hostname, node.hostname);
}
