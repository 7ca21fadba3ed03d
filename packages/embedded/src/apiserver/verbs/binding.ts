import { type JsonObject, timestamp } from '@karpenter-ts/kubernetes';
import { topologyLabels } from '../kinds/behaviour/pod.ts';
import { setPodCondition } from '../kinds/behaviour/pod-conditions.ts';
import { type KubeObject, listAt, objectAt, textAt, withMetadata } from '../object.ts';
import { badRequest, conflict, misjudged, notFound } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import { registryKey } from '../storage/registry-key.ts';
import type { Strategy } from '../strategy.ts';
import { checkNamespace, type Write, type WriteContext } from './create.ts';

const BINDING = { group: '', plural: 'pods/binding' };

/** Binds a pod to the node that a Binding names, once. Throws an ApiError. */
export function bind(context: WriteContext, write: Write & { readonly name: string }, binding: KubeObject): void {
  const { strategy, name, namespace } = write;
  checkNamespace(binding.metadata, write);
  if (binding.metadata.name !== name) throw badRequest('name in URL does not match name in Binding object');
  const target = objectAt(binding, 'target');
  checkTarget(target);
  const pod = context.objects.get(strategy, keyOf(name, namespace));
  if (pod === undefined) throw notFound(strategy.resource, name);
  checkPreconditions(write.strategy, pod, binding);
  const why = findObstacle(pod);
  if (why !== undefined) throw conflict(BINDING, name, why);
  const bound = boundPod(context, pod, binding, textAt(target, 'name'));
  if (!write.dryRun) context.objects.put(strategy, bound);
}

function checkTarget(target: JsonObject): void {
  const problems: string[] = [];
  const kind = textAt(target, 'kind');
  if (kind !== '' && kind !== 'Node') {
    problems.push(`target.kind: Unsupported value: ${JSON.stringify(kind)}: supported values: "Node", "<empty>"`);
  }
  if (textAt(target, 'name') === '') problems.push('target.name: Required value');
  if (problems.length === 0) return;
  const message = problems.length === 1 ? problems[0]! : `[${problems.join(', ')}]`;
  throw misjudged(message);
}

function checkPreconditions(strategy: Strategy, pod: KubeObject, { metadata }: KubeObject): void {
  const { uid, resourceVersion, name } = pod.metadata;
  const wrong =
    metadata.uid && metadata.uid !== uid
      ? `UID in precondition: ${metadata.uid}, UID in object meta: ${uid}`
      : metadata.resourceVersion && metadata.resourceVersion !== resourceVersion
        ? `ResourceVersion in precondition: ${metadata.resourceVersion}, ResourceVersion in object meta: ${resourceVersion}`
        : undefined;
  if (wrong === undefined) return;
  const key = registryKey(strategy, keyOf(name, pod.metadata.namespace));
  const why = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${wrong}`;
  throw conflict({ group: '', plural: 'pods' }, name, why);
}

function findObstacle(pod: KubeObject): string | undefined {
  const { name, deletionTimestamp } = pod.metadata;
  const node = textAt(pod, 'spec', 'nodeName');
  if (deletionTimestamp) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (node !== '') return `pod ${name} is already assigned to node ${JSON.stringify(node)}`;
  return listAt(pod, 'spec', 'schedulingGates').length > 0
    ? `pod ${name} has non-empty .spec.schedulingGates`
    : undefined;
}

/** Copies labels and annotations of the Binding and the node to the pod. */
function boundPod({ clock, objects }: WriteContext, pod: KubeObject, binding: KubeObject, node: string): KubeObject {
  const { nominatedNodeName: _, ...status } = objectAt(pod, 'status');
  const scheduled = setPodCondition(status, { type: 'PodScheduled', status: 'True' }, timestamp(clock.now()));
  const labels = { ...pod.metadata.labels, ...binding.metadata.labels, ...topologyLabels(node, objects) };
  const annotations = { ...pod.metadata.annotations, ...binding.metadata.annotations };
  const bound = { ...pod, spec: { ...objectAt(pod, 'spec'), nodeName: node }, status: scheduled };
  return withMetadata(bound, { labels: orNone(labels), annotations: orNone(annotations) });
}

function orNone(map: Readonly<Record<string, string>>): Readonly<Record<string, string>> | undefined {
  return Object.keys(map).length > 0 ? map : undefined;
}
