import type {
  CallOptions,
  Client,
  DeleteOptions,
  ListOptions,
  Page,
  Patch,
  ReadOptions,
  WatchOptions,
  WriteOptions,
} from './client.ts';
import type { ApiObject, ObjectRef, ResourceType } from '@karpenter-ts/kubernetes';
import type { WatchEvent } from './watch-stream.ts';

/**
 * The API of Client with a mandatory signal. A controller passes on the signal of its `reconcile`, so that an
 * unresponsive server never delays the end of the process.
 */
export interface CancellableClient {
  readonly learnt: Client['learnt'];
  get<T extends ApiObject>(type: ResourceType, ref: ObjectRef, options: ReadOptions, signal: AbortSignal): Promise<T>;
  list<T extends ApiObject>(type: ResourceType, options: ListOptions, signal: AbortSignal): AsyncGenerator<Page<T>>;
  listAll<T extends ApiObject>(
    type: ResourceType,
    options: ListOptions,
    signal: AbortSignal,
  ): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }>;
  watchInBatches<T extends ApiObject>(
    type: ResourceType,
    options: WatchOptions,
    signal: AbortSignal,
  ): AsyncGenerator<readonly WatchEvent<T>[]>;
  create<T extends ApiObject>(type: ResourceType, object: T, options: WriteOptions, signal: AbortSignal): Promise<T>;
  patch<T extends ApiObject>(
    type: ResourceType,
    ref: ObjectRef,
    patch: Patch,
    options: WriteOptions,
    signal: AbortSignal,
  ): Promise<T>;
  delete(type: ResourceType, ref: ObjectRef, options: DeleteOptions, signal: AbortSignal): Promise<void>;
  read<T>(path: string, options: CallOptions, signal: AbortSignal): Promise<T>;
}
