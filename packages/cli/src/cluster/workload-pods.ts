import type { FieldPath } from '@karpenter-ts/apis';
import { isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';

/** What a workload asks for: so many pods like this one. */
export interface WorkloadPods {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
  readonly count: number;
  /** The first pod of them; the others differ in name only. */
  podAt(index: number): JsonObject;
  /** Where a field of a pod stands in the workload. */
  pathInWorkload(path: FieldPath): FieldPath;
}

/** The workloads that pods are made from, with how many they ask for. */
const COUNTS: ReadonlyMap<string, (spec: JsonObject) => number> = new Map([
  ['Deployment', countReplicas],
  ['ReplicaSet', countReplicas],
  ['StatefulSet', countReplicas],
  ['Job', countJobPods],
]);

/** More pods than a cluster may have are a slip of the keyboard. */
export const MOST_REPLICAS = 150_000;

function countReplicas({ replicas = 1 }: JsonObject): number {
  return Number(replicas);
}

function countJobPods({ suspend = false, parallelism = 1, completions = null }: JsonObject): number {
  return suspend === true ? 0 : Math.min(Number(parallelism), Number(completions ?? parallelism));
}

/** Reads a workload; undefined if the object is none, or has no pod template. */
export function readWorkload(object: JsonObject): WorkloadPods | undefined {
  const kind = textIn(object, 'kind');
  const countOf = COUNTS.get(kind);
  const { metadata, spec } = object;
  if (countOf === undefined || !isJsonObject(metadata) || !isJsonObject(spec)) return undefined;
  const { template } = spec;
  if (!isJsonObject(template) || !isJsonObject(template['spec'])) return undefined;
  const name = textIn(metadata, 'name');
  const namespace = textIn(metadata, 'namespace') || 'default';
  const uid = textIn(metadata, 'uid') || `${kind}/${namespace}/${name}`;
  const ofTemplate = isJsonObject(template['metadata']) ? template['metadata'] : {};
  const apiVersion = kind === 'Job' ? 'batch/v1' : 'apps/v1';
  const ownerKind = kind === 'Deployment' ? 'ReplicaSet' : kind;
  const ownerReferences: Json = [{ apiVersion, kind: ownerKind, name, uid, controller: true }];
  const podSpec = template['spec'];
  return {
    kind,
    name,
    namespace,
    count: countOf(spec),
    podAt: (index) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        ...ofTemplate,
        name: `${name}-${String(index).padStart(4, '0')}`,
        namespace,
        uid: `${uid}-${String(index).padStart(6, '0')}`,
        ownerReferences,
      },
      spec: podSpec,
    }),
    pathInWorkload: (path) => ['spec', 'template', ...path],
  };
}

/** The text of a field; '' if it has none. */
export function textIn(object: JsonObject, field: string): string {
  const value = object[field];
  return typeof value === 'string' ? value : '';
}
