import type { Labels, Pod, Toleration } from '@karpenter-ts/kubernetes';
import { type AffinityTerm, preferredTerms, requiredTerms, type WeightedTerm } from './affinity-term.ts';
import { type VolumeClaimUse, volumeClaimUses } from './volume-claim-use.ts';
import { type HostPort, hostPorts } from './host-port.ts';
import { type NodeMatcher, namedNodes, requiredNodes, termMatcher } from './node-selector.ts';
import { type Requests, requestsOf } from './requests.ts';
import type { ResourceNames } from './resource-names.ts';
import { type SpreadConstraint, spreadConstraints } from './spread-constraint.ts';

/**
 * Everything about a pod that scheduling depends on. Pods of one class are interchangeable: a result for one holds for
 * all, and nodes count them instead of listing them.
 */
export interface PodClass {
  readonly namespace: string;
  readonly labels: Labels;
  /** Being deleted: topology spread constraints no longer count it. */
  readonly isTerminating: boolean;
  /** The uid of the workload it belongs to. */
  readonly owner: string | undefined;
  /** Whether its priority class allows preemption; only messages depend on it. */
  readonly mayPreempt: boolean;
  readonly requests: Requests;
  readonly tolerations: readonly Toleration[];
  readonly requiredNodes: NodeMatcher | undefined;
  readonly namedNodes: ReadonlySet<string> | undefined;
  readonly preferredNodes: readonly { readonly matches: NodeMatcher; readonly weight: number }[];
  readonly hostPorts: readonly HostPort[];
  readonly affinity: TermsOf<AffinityTerm>;
  readonly preferredAffinity: TermsOf<WeightedTerm>;
  readonly spread: readonly SpreadConstraint[];
  readonly preferredSpread: readonly SpreadConstraint[];
  readonly volumeClaims: readonly VolumeClaimUse[];
}

interface TermsOf<T> {
  readonly affinityTerms: readonly T[];
  readonly antiAffinityTerms: readonly T[];
}

/** How many classes are kept. Beyond this the table is cleared, which only costs time. */
const MAX_CLASSES = 10_000;

/** Finds the class of a pod. Equal pods share one class, as long as the table keeps it. */
export class PodClasses {
  readonly #names: ResourceNames;
  readonly #classes = new Map<string, PodClass>();

  constructor(names: ResourceNames) {
    this.#names = names;
  }

  of(pod: Pod): PodClass {
    const key = keyOf(pod);
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    if (this.#classes.size === MAX_CLASSES) this.#classes.clear();
    const made = classOf(pod, this.#names);
    this.#classes.set(key, made);
    return made;
  }
}

/** A key of everything that `classOf` reads: a field missing here would be shared by pods that differ in it. */
function keyOf(pod: Pod): string {
  const { metadata, spec } = pod;
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    metadata.deletionTimestamp !== undefined,
    ownerOf(pod),
    spec.preemptionPolicy,
    spec.containers?.map(({ resources, ports }) => [resources?.requests, ports]),
    spec.initContainers?.map(({ resources, ports, restartPolicy }) => [resources?.requests, ports, restartPolicy]),
    spec.resources?.requests,
    spec.overhead,
    spec.tolerations,
    spec.nodeSelector,
    spec.affinity,
    spec.topologySpreadConstraints,
    volumeClaimUses(pod),
  ]);
}

function classOf(pod: Pod, names: ResourceNames): PodClass {
  const { metadata, spec } = pod;
  const { affinity, topologySpreadConstraints } = spec;
  const self = { namespace: metadata.namespace ?? '', labels: metadata.labels ?? {} };
  const preferred = affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return {
    ...self,
    isTerminating: metadata.deletionTimestamp !== undefined,
    owner: ownerOf(pod),
    mayPreempt: spec.preemptionPolicy !== 'Never',
    requests: requestsOf(spec, names),
    tolerations: spec.tolerations ?? [],
    requiredNodes: requiredNodes(spec),
    namedNodes: namedNodes(spec),
    preferredNodes: preferred.map(({ weight, preference }) => ({ weight, matches: termMatcher(preference) })),
    hostPorts: hostPorts(spec),
    affinity: {
      affinityTerms: requiredTerms(affinity?.podAffinity, self),
      antiAffinityTerms: requiredTerms(affinity?.podAntiAffinity, self),
    },
    preferredAffinity: {
      affinityTerms: preferredTerms(affinity?.podAffinity, self),
      antiAffinityTerms: preferredTerms(affinity?.podAntiAffinity, self),
    },
    spread: spreadConstraints(topologySpreadConstraints, 'DoNotSchedule', self),
    preferredSpread: spreadConstraints(topologySpreadConstraints, 'ScheduleAnyway', self),
    volumeClaims: volumeClaimUses(pod),
  };
}

function ownerOf({ metadata }: Pod): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}
