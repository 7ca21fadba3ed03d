import { DISRUPTED_TAINT, isSameTaint, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import type {
  ApiObject,
  Container,
  DaemonSet,
  Node,
  ObjectMeta,
  Pod,
  PodDisruptionBudget,
  PodSpec,
} from '@karpenter-ts/kubernetes';
import type { ClusterContent } from '../cluster/cluster-file.ts';
import { pendingProblem } from '../cluster/pending-problem.ts';

/** What is read of a cluster. */
export interface DumpedLists {
  readonly nodePools: readonly NodePool[];
  readonly nodeClaims: readonly NodeClaim[];
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly daemonSets: readonly DaemonSet[];
  readonly disruptionBudgets: readonly PodDisruptionBudget[];
}

/**
 * A cluster as a file has it. Only what decisions read is kept: a pod's environment, arguments, images and most of its
 * annotations may hold secrets, and are left out.
 */
export function toClusterContent(lists: DumpedLists, rest: Pick<ClusterContent, 'now' | 'catalogue'>): ClusterContent {
  const { nodePools, nodeClaims, nodes, pods, daemonSets, disruptionBudgets } = lists;
  const dumped = pods.map((pod) => withoutSecrets(pod));
  return {
    ...rest,
    nodePools: nodePools.map(withPlainMeta),
    nodes: nodes.map(({ spec, status, ...object }) => ({
      ...withPlainMeta(object),
      spec: { providerID: spec?.providerID, taints: spec?.taints, unschedulable: spec?.unschedulable },
      status: { capacity: status?.capacity, allocatable: status?.allocatable, conditions: status?.conditions },
    })),
    nodeClaims: nodeClaims.map(withPlainMeta),
    boundPods: dumped.filter(({ spec }) => spec.nodeName),
    pods: dumped.filter((pod) => pendingProblem(pod) === undefined),
    daemonPods: daemonSets.map(({ metadata, spec: { template } }) => ({
      metadata: { ...plainMeta(metadata), labels: template.metadata?.labels },
      spec: plainSpec(template.spec),
    })),
    pdbs: disruptionBudgets.map(withPlainMeta),
    nominated: [],
    // What a controller has marked in memory shows in the taint that it puts on first.
    markedForDeletion: nodes.filter(isBeingDisrupted).map(({ metadata }) => metadata.name),
  };
}

function isBeingDisrupted({ spec, metadata }: Node): boolean {
  const isTainted = spec?.taints?.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)) ?? false;
  return isTainted && metadata.deletionTimestamp === undefined;
}

function withoutSecrets({ metadata, spec, status }: Pod): Pod {
  const { phase, startTime, nominatedNodeName, conditions } = status ?? {};
  return {
    metadata: plainMeta(metadata),
    spec: plainSpec(spec),
    status: { phase, startTime, nominatedNodeName, conditions },
  };
}

/** All that planning and disruption read of a pod's spec. */
function plainSpec(spec: PodSpec): PodSpec {
  const { nodeName, schedulerName, schedulingGates, priority, priorityClassName, preemptionPolicy, nodeSelector } =
    spec;
  const { affinity, tolerations, topologySpreadConstraints, resources, overhead, volumes, resourceClaims } = spec;
  const { readinessGates, restartPolicy, terminationGracePeriodSeconds, hostNetwork } = spec;
  return {
    nodeName,
    schedulerName,
    schedulingGates,
    priority,
    priorityClassName,
    preemptionPolicy,
    nodeSelector,
    affinity,
    tolerations,
    topologySpreadConstraints,
    containers: (spec.containers ?? []).map(plainContainer),
    ...(spec.initContainers && { initContainers: spec.initContainers.map(plainContainer) }),
    resources,
    overhead,
    volumes: volumes?.flatMap(({ name, persistentVolumeClaim }) =>
      persistentVolumeClaim === undefined ? [] : [{ name, persistentVolumeClaim }],
    ),
    resourceClaims,
    readinessGates,
    restartPolicy,
    terminationGracePeriodSeconds,
    hostNetwork,
  };
}

function plainContainer({ name, resources, ports, restartPolicy }: Container): Container {
  return { name, resources, ports, restartPolicy };
}

function withPlainMeta<T extends ApiObject>(object: T): T {
  return { ...object, metadata: plainMeta(object.metadata) };
}

/** Annotations of Karpenter and the deletion cost decide something; others may hold anything. */
function plainMeta(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata;
  const kept = Object.entries(annotations ?? {}).filter(([key]) => KEPT_ANNOTATION.test(key));
  return {
    name,
    ...(namespace !== undefined && { namespace }),
    ...(uid !== undefined && { uid }),
    ...(labels !== undefined && { labels }),
    ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
    ...(ownerReferences !== undefined && { ownerReferences }),
    ...(creationTimestamp !== undefined && { creationTimestamp }),
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

const KEPT_ANNOTATION = /^(?:[a-z0-9.-]*\.)?karpenter[a-z0-9.-]*\/|^controller\.kubernetes\.io\/pod-deletion-cost$/;
