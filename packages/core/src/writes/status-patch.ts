import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { type CancellableClient, unlessGone } from '@karpenter-ts/runtime';
import { mergePatchOf } from './merge-patch.ts';

/** An object with a status subresource. */
type WithStatus = ApiObject & { readonly status?: object | undefined };

/**
 * Writes the status of `after` where it differs from that of `before`, provided nobody has written the object since
 * `before` was read: conditions are one list that several write. Rejects with the conflict if somebody has, which the
 * runtime retries; an object that is gone needs no status. Says what the server has now, `before` if nothing differs.
 */
export async function patchStatus<T extends WithStatus>(
  client: CancellableClient,
  type: ResourceType,
  before: T,
  after: T,
  signal: AbortSignal,
): Promise<T | undefined> {
  const status = mergePatchOf(before.status, after.status);
  if (status === undefined) return before;
  const { name, resourceVersion } = before.metadata;
  const body = { metadata: { resourceVersion }, status };
  return unlessGone(client.patch<T>(type, { name }, { type: 'merge', body }, { subresource: 'status' }, signal));
}
