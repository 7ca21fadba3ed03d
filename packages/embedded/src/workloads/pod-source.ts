import {
  type ApiObject,
  controllerOf,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
  objectKey,
  type Pod,
} from '@karpenter-ts/kubernetes';
import { type Informer, LOW_PRIORITY, type Source } from '@karpenter-ts/runtime';
import type { PodCache } from './caches.ts';
import type { Expectations } from './expectations.ts';
import { isTerminating } from './pod-state.ts';

export type PodSet = ApiObject & { readonly spec: { readonly selector: LabelSelectorSpec } };

export interface PodSourceOptions<T extends PodSet> {
  readonly pods: PodCache;
  /** The sets whose pods matter. */
  readonly sets: Pick<Informer<T>, 'type' | 'get' | 'list'>;
  /** Called with each event before the owner is enqueued, for expectations. */
  readonly expectations?: Expectations;
}

/** Enqueues the owners of changed pods; for a pod without a controller, those that might adopt it. */
export function podSource<T extends PodSet>({ pods, sets, expectations }: PodSourceOptions<T>): Source {
  const keyOf = (pod: Pod): string | undefined => {
    const reference = controllerOf(pod.metadata);
    if (reference?.kind !== sets.type.kind) return undefined;
    const set = sets.get(objectKey({ namespace: pod.metadata.namespace, name: reference.name }));
    return set?.metadata.uid === reference.uid && set !== undefined ? objectKey(set.metadata) : undefined;
  };
  const keysOf = (pod: Pod): readonly string[] => {
    const key = keyOf(pod);
    if (key !== undefined) return [key];
    return controllerOf(pod.metadata) === undefined && !isTerminating(pod) ? adopters(sets, pod) : [];
  };
  const sawDeletion = (pod: Pod): void => {
    const key = keyOf(pod);
    if (key !== undefined) expectations?.deleted(key, pod.metadata.uid ?? '');
  };
  return {
    name: 'kind source: *v1.Pod',
    watched: { kind: '*v1.Pod', cache: pods },
    attach(queue) {
      pods.addHandler({
        onAdd(pod, isInitial) {
          const key = keyOf(pod);
          if (isTerminating(pod)) sawDeletion(pod);
          else if (key !== undefined) expectations?.created(key);
          for (const each of keysOf(pod)) queue.add(each, ...(isInitial ? [LOW_PRIORITY] : []));
        },
        onUpdate(old, pod) {
          if (isTerminating(pod)) sawDeletion(pod);
          for (const each of new Set([...keysOf(old), ...keysOf(pod)])) queue.add(each);
        },
        onDelete(pod) {
          sawDeletion(pod);
          for (const each of keysOf(pod)) queue.add(each);
        },
      });
    },
  };
}

function adopters<T extends PodSet>(sets: Pick<Informer<T>, 'list'>, { metadata }: Pod): readonly string[] {
  if (metadata.labels === undefined) return [];
  const inNamespace = sets.list().filter((set) => set.metadata.namespace === metadata.namespace);
  const matching = inNamespace.filter((set) => matchesLabels(labelSelectorFrom(set.spec.selector), metadata.labels));
  return matching.map((set) => objectKey(set.metadata));
}
