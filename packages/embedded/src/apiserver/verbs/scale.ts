import { formatLabelSelector, type Json, type JsonObject, labelSelectorFrom, memberOf } from '@karpenter-ts/kubernetes';
import { CustomStrategy } from '../custom/custom-strategy.ts';
import { invalidValue } from '../field-errors.ts';
import { isJsonObject } from '../json-value.ts';
import { type KubeObject, objectAt, scalarText } from '../object.ts';
import { invalid, misjudged } from '../status.ts';
import type { Strategy } from '../strategy.ts';

const SPEC_REPLICAS = '.spec.replicas';
const STATUS_REPLICAS = '.status.replicas';

/** The `autoscaling/v1 Scale` of an object. Throws an ApiError when a custom resource has no replicas to show. */
export function scaleOf(object: KubeObject, strategy: Strategy): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const paths = pathsOf(strategy);
  const replicas = valueAt(object, paths.spec);
  if (replicas === undefined) throw misjudged(`the spec replicas field ${JSON.stringify(paths.spec)} does not exist`);
  const selector = selectorOf(object, strategy);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: valueAt(object, paths.status) ?? 0, ...(selector && { selector }) },
  };
}

/** The object with the replicas of a Scale, for the version that names. Throws an ApiError. */
export function withScale(object: KubeObject, scale: KubeObject, strategy: Strategy): KubeObject {
  const replicas = objectAt(scale, 'spec')['replicas'] ?? 0;
  if ((replicas as number) < 0) {
    const problem = invalidValue(['spec', 'replicas'], replicas, 'must be greater than or equal to 0');
    throw invalid({ group: 'autoscaling', kind: 'Scale' }, object.metadata.name, [problem]);
  }
  const { resourceVersion } = scale.metadata;
  const metadata = { ...object.metadata, ...(resourceVersion && { resourceVersion }) };
  return setAt({ ...object, metadata }, pathsOf(strategy).spec.split('.').slice(1), replicas) as KubeObject;
}

function pathsOf(strategy: Strategy): {
  readonly spec: string;
  readonly status: string;
  readonly selector?: string | undefined;
} {
  const scale = strategy instanceof CustomStrategy ? strategy.version.scale : undefined;
  return {
    spec: scale?.specReplicasPath ?? SPEC_REPLICAS,
    status: scale?.statusReplicasPath ?? STATUS_REPLICAS,
    selector: scale?.labelSelectorPath,
  };
}

/** Built-in kinds select by an object, or in one old case by plain labels; custom ones by text. */
function selectorOf(object: KubeObject, strategy: Strategy): string {
  const custom = pathsOf(strategy).selector;
  if (strategy instanceof CustomStrategy) return custom === undefined ? '' : scalarText(valueAt(object, custom));
  const selector = objectAt(object, 'spec', 'selector');
  const isPlain = strategy.resource.plural === 'replicationcontrollers';
  const spec: JsonObject = isPlain ? { matchLabels: selector } : selector;
  return formatLabelSelector(labelSelectorFrom(spec));
}

function valueAt(object: JsonObject, path: string): Json | undefined {
  let at: Json | undefined = object;
  for (const key of path.split('.').slice(1)) at = isJsonObject(at) ? memberOf(at, key) : undefined;
  return at;
}

function setAt(object: JsonObject, [key, ...rest]: readonly string[], value: Json): JsonObject {
  const below = memberOf(object, key!);
  return { ...object, [key!]: rest.length === 0 ? value : setAt(isJsonObject(below) ? below : {}, rest, value) };
}
