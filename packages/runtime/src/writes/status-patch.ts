import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import type { CancellableClient } from '../client/cancellable-client.ts';
import { unlessGone } from '../client/unless-gone.ts';
import { mergePatchOf } from './merge-patch.ts';

/** An object with a status subresource. */
type WithStatus = ApiObject & { readonly status?: object | undefined };

/**
 * Writes the status of `after` where it differs from `before`, provided that nobody has written the object since
 * `before` was read: conditions are one list with several writers. Rejects with the conflict otherwise, and the runtime
 * retries. Resolves with the server's version, or `before` if nothing differs, or undefined if the object is gone.
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
