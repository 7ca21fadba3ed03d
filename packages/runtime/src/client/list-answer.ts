import { resourceNameOf, type ResourceType } from '@karpenter-ts/kubernetes';
import { ConnectionError } from './transport.ts';

/** A list, or one page of it, as API servers return it. */
export interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly object[] | null;
}

/**
 * Checks that an answer is a list. Throws a ConnectionError otherwise: a proxy or a broken server may answer 200 with
 * anything.
 */
export function listOf(answer: unknown, type: ResourceType): ListAnswer {
  if (isList(answer)) return answer;
  throw new ConnectionError(`the API server answered with something that is no list of ${resourceNameOf(type)}`);
}

function isList(answer: unknown): answer is ListAnswer {
  if (!isObject(answer) || !isObject(answer['metadata'])) return false;
  const { metadata, items } = answer;
  if (typeof metadata['resourceVersion'] !== 'string') return false;
  return items === null || items === undefined || (Array.isArray(items) && items.every(hasMetadata));
}

function hasMetadata(item: unknown): boolean {
  return isObject(item) && isObject(item['metadata']);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
