import {
  controllerOf,
  type OwnerReference,
  type Pod,
  type PodDisruptionBudget,
  type ResourceType,
  scaledValue,
} from '@karpenter-ts/kubernetes';
import { unlessGone } from '@karpenter-ts/runtime';
import type { ApiResources } from '../api-resources.ts';
import type { WorkloadDeps } from '../workload-deps.ts';

/** How many pods a budget covers, and how many of them must be healthy. */
export interface Expected {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  /** Names of pods without a controller: they do not count where a percentage is used. */
  readonly unmanaged: readonly string[];
}

export interface ScaleDeps extends WorkloadDeps {
  readonly resources: ApiResources;
}

/**
 * Computes what a budget requires. A plain minAvailable needs only the pods; a percentage or maxUnavailable refers to
 * the replicas of the pods' controllers. Throws if a controller has no scale.
 */
export async function expectPods(
  deps: ScaleDeps,
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
): Promise<Expected> {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const { expectedPods, unmanaged } = await wantedByManagers(deps, pods);
    const missing = scaledValue(maxUnavailable, expectedPods, 'up');
    return { expectedPods, desiredHealthy: Math.max(0, expectedPods - missing), unmanaged };
  }
  if (typeof minAvailable === 'string') {
    const { expectedPods, unmanaged } = await wantedByManagers(deps, pods);
    return { expectedPods, desiredHealthy: scaledValue(minAvailable, expectedPods, 'up'), unmanaged };
  }
  return {
    expectedPods: minAvailable === undefined ? 0 : pods.length,
    desiredHealthy: minAvailable ?? 0,
    unmanaged: [],
  };
}

async function wantedByManagers(
  deps: ScaleDeps,
  pods: readonly Pod[],
): Promise<{ readonly expectedPods: number; readonly unmanaged: readonly string[] }> {
  const sizes = new Map<string, number>(); // by uid of the manager that counts
  const seen = new Set<string>();
  const unmanaged: string[] = [];
  for (const { metadata } of pods) {
    const reference = controllerOf(metadata);
    if (reference === undefined) unmanaged.push(metadata.name);
    if (reference === undefined || seen.has(reference.uid)) continue;
    seen.add(reference.uid);
    const size = await sizeOf(deps, reference, metadata.namespace ?? '');
    if (size === undefined) throw new Error(`found no controllers for pod "${metadata.name}"`);
    sizes.set(size.uid, size.replicas);
  }
  return { expectedPods: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged };
}

interface Size {
  readonly uid: string;
  readonly replicas: number;
}

/** What a manager wants; for a ReplicaSet of a Deployment what the Deployment does. */
async function sizeOf(deps: ScaleDeps, reference: OwnerReference, namespace: string): Promise<Size | undefined> {
  const { caches } = deps;
  const key = `${namespace}/${reference.name}`;
  switch (`${reference.apiVersion}/${reference.kind}`) {
    case 'apps/v1/ReplicaSet': {
      const set = caches.replicaSets.get(key);
      const owner = set && controllerOf(set.metadata);
      if (owner?.kind !== 'Deployment') return sized(set, reference);
      return set?.metadata.uid === reference.uid
        ? sized(caches.deployments.get(`${namespace}/${owner.name}`), owner)
        : undefined;
    }
    case 'apps/v1/StatefulSet':
      return sized(caches.statefulSets.get(key), reference);
    default:
      return scaleOf(deps, reference, namespace);
  }
}

function sized(
  set:
    | { readonly metadata: { readonly uid?: string | undefined }; readonly spec: { readonly replicas: number } }
    | undefined,
  { uid }: OwnerReference,
): Size | undefined {
  return set?.metadata.uid === uid && set !== undefined ? { uid, replicas: set.spec.replicas } : undefined;
}

/** Of any other kind: what its `scale` says. */
async function scaleOf(
  { client, resources }: ScaleDeps,
  reference: OwnerReference,
  namespace: string,
): Promise<Size | undefined> {
  const resource = await resources.find(reference.apiVersion, reference.kind);
  if (resource === undefined) {
    throw new Error(`no matches for kind "${reference.kind}" in version "${reference.apiVersion}"`);
  }
  if (!resource.subresources.includes('scale')) {
    throw new Error(`${resourceName(resource.type)} does not implement the scale subresource`);
  }
  const ref = { name: reference.name, namespace };
  const scale = await unlessGone(client.get<Scale>(resource.type, ref, { subresource: 'scale' }));
  return scale && sized(scale, reference);
}

interface Scale {
  readonly metadata: { readonly name: string; readonly uid?: string };
  readonly spec: { readonly replicas: number };
}

function resourceName({ group, plural }: ResourceType): string {
  return group === '' ? plural : `${plural}.${group}`;
}
