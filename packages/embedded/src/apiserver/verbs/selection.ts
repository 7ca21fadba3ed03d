import {
  type FieldSelector,
  goQuote,
  type LabelSelector,
  matchesFields,
  matchesLabels,
  memberOf,
} from '@karpenter-ts/kubernetes';
import { type ApiError, badRequest } from '../status.ts';
import type { Entry } from '../storage/entry.ts';
import type { Strategy } from '../strategy.ts';

/** Which objects of a collection a request is about. */
export interface Selection {
  /** Every key must start with it: a namespace and a slash, or nothing. */
  readonly prefix: string;
  /** No selectors: everything below the prefix. */
  readonly isWhole: boolean;
  matches(entry: Entry): boolean;
}

/** Puts namespace and selectors together. Throws an ApiError for fields that cannot be selected by. */
export function selectionOf(
  strategy: Strategy,
  namespace: string | undefined,
  selectors: { readonly labels: LabelSelector; readonly fields: FieldSelector },
): Selection {
  const { labels, fields } = selectors;
  for (const { field } of fields) {
    if (field === 'metadata.name' || (field === 'metadata.namespace' && strategy.resource.namespaced)) continue;
    if (!strategy.selectable.has(field)) throw unsupported(strategy, field);
  }
  const anyLabels = labels.kind === 'requirements' && labels.requirements.length === 0;
  return {
    prefix: namespace ? `${namespace}/` : '',
    isWhole: anyLabels && fields.length === 0,
    matches: (entry) =>
      (anyLabels || matchesLabels(labels, entry.labels)) &&
      (fields.length === 0 ||
        matchesFields(fields, (field) => fieldOf(entry, strategy.selectable.get(field) ?? field))),
  };
}

/** Kinds that can be selected by nothing but their name say so. */
function unsupported({ selectable, traits }: Strategy, field: string): ApiError {
  if (selectable.size > 0 || traits.typedItems) return badRequest(`field label not supported: ${field}`);
  const known = '"metadata.name", "metadata.namespace"';
  return badRequest(`${goQuote(field)} is not a known field selector: only ${known}`);
}

function fieldOf({ key, fields }: Entry, field: string): string | undefined {
  const slash = key.indexOf('/');
  if (field === 'metadata.name') return key.slice(slash + 1);
  if (field === 'metadata.namespace') return slash < 0 ? '' : key.slice(0, slash);
  return memberOf(fields, field);
}
