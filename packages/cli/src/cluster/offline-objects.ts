import { CORE_PROFILE } from '@karpenter-ts/apis';
import { operatorOptions, type OfflineObjects, type OperatorOptions } from '@karpenter-ts/core';
import { type ApiObject, type DaemonSet, type Namespace, type Pod, READY } from '@karpenter-ts/kubernetes';
import type { NodePool } from '@karpenter-ts/apis';
import { defaultsOf } from '@karpenter-ts/runtime';
import { type CatalogueEntry, toInstanceType } from '../fleet/fleet-snapshot.ts';
import type { ClusterContent, ClusterOptions } from './cluster-file.ts';

/** What an API server and the controllers fill in, and a file may leave out, is filled in. Everything else stays. */
export function toOfflineObjects(content: ClusterContent): OfflineObjects {
  const { catalogue, nodePools, nodes = [], nodeClaims = [], boundPods = [], pods = [], daemonPods = [] } = content;
  const { pdbs = [], nominated = [], markedForDeletion = [] } = content;
  const daemonSets = daemonPods.map(inNamespace).map(toDaemonSet);
  const allPods = [...boundPods, ...pods.map(asPending)].map(inNamespace);
  const disruptionBudgets = pdbs.map(inNamespace);
  return {
    now: Date.parse(content.now),
    options: toOptions(content.options),
    catalogue: toCatalogue(catalogue),
    nodePools: nodePools.map((nodePool) => asReady(withBudgets(nodePool), content.now)),
    nodes,
    nodeClaims,
    pods: allPods,
    daemonSets,
    namespaces: namespacesOf([...allPods, ...daemonSets, ...disruptionBudgets]),
    disruptionBudgets,
    nominated,
    markedForDeletion,
  };
}

/** All labels of the catalogue are well-known. */
export function toCatalogue(entries: readonly CatalogueEntry[]): OfflineObjects['catalogue'] {
  const labels = new Set(entries.flatMap((entry) => Object.keys(entry.labels ?? {})));
  const wellKnownLabels = CORE_PROFILE.wellKnownLabels.union(labels);
  return {
    profile: { ...CORE_PROFILE, wellKnownLabels },
    instanceTypes: entries.map((entry) => toInstanceType(entry, wellKnownLabels)),
  };
}

function toOptions({ spotToSpotConsolidation, ...policies }: ClusterOptions = {}): OperatorOptions {
  const defaults = defaultsOf(operatorOptions);
  const featureGates = { ...defaults.featureGates, SpotToSpotConsolidation: spotToSpotConsolidation ?? false };
  return { ...defaults, ...policies, featureGates };
}

/**
 * An API server stores the defaults, so that a stored NodePool without budgets has no limit: it is not given the default
 * of a new one.
 */
function withBudgets(nodePool: NodePool): NodePool {
  const given: Partial<NodePool['spec']['disruption']> | undefined = nodePool.spec.disruption;
  const disruption = { ...NO_SETTINGS, ...given };
  return { ...nodePool, spec: { ...nodePool.spec, disruption } };
}

const NO_SETTINGS: NodePool['spec']['disruption'] = {
  consolidateAfter: '0s',
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  budgets: [],
};

/** A NodePool whose status nobody gave. */
function asReady(nodePool: NodePool, now: string): NodePool {
  if (nodePool.status !== undefined) return nodePool;
  const ready = { type: READY, status: 'True', reason: READY, message: '', lastTransitionTime: now } as const;
  return { ...nodePool, status: { nodes: 0, conditions: [ready] } };
}

/** A pod of which kube-scheduler has said nothing. */
function asPending(pod: Pod): Pod {
  if (pod.status?.conditions !== undefined) return pod;
  const unschedulable = { type: 'PodScheduled', status: 'False', reason: 'Unschedulable' } as const;
  return { ...pod, status: { phase: 'Pending', ...pod.status, conditions: [unschedulable] } };
}

function toDaemonSet({ metadata, spec }: Pod): DaemonSet {
  const { name, namespace, uid, labels = {} } = metadata;
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace, uid },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec },
      updateStrategy: { type: 'RollingUpdate' },
    },
  };
}

function inNamespace<T extends ApiObject>(object: T): T {
  const { namespace = 'default' } = object.metadata;
  return { ...object, metadata: { ...object.metadata, namespace } };
}

/** Every namespace in use exists, with the label that an API server gives it. */
function namespacesOf(objects: readonly ApiObject[]): readonly Namespace[] {
  const names = new Set(objects.flatMap(({ metadata }) => metadata.namespace ?? []));
  return [...names].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  }));
}
