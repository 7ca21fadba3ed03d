import { type ApiObject, NODES, type ObjectRef, type ResourceType } from '@karpenter-ts/kubernetes';
import type { NodeApi } from './instance-boots.ts';
import { SIMULATED } from './node.ts';

/** What is needed of a client of the API server. Its errors have the `code` of the response. */
export interface NodeClient {
  create(type: ResourceType, object: ApiObject): Promise<unknown>;
  patch(type: ResourceType, ref: ObjectRef, patch: { readonly type: 'merge'; readonly body: object }): Promise<unknown>;
  delete(type: ResourceType, ref: ObjectRef): Promise<unknown>;
}

/** Nodes of a cluster whose kubelets are simulated: the embedded one, or one with KWOK. */
export function clientNodes(client: NodeClient): NodeApi {
  return {
    create: (node) => client.create(NODES, node).then(() => undefined, refusalOf),
    silence: async (name) => {
      const body = { metadata: { annotations: { [SIMULATED]: null } } };
      await client.patch(NODES, { name }, { type: 'merge', body }).catch(unlessGone);
    },
    delete: async (name) => {
      await client.delete(NODES, { name }).catch(unlessGone);
    },
  };
}

/** What is invalid stays so; all else may be different the next time. */
function refusalOf(error: unknown): string {
  if (codeOf(error) === 422) return (error as Error).message;
  throw error;
}

function unlessGone(error: unknown): void {
  if (codeOf(error) !== 404) throw error;
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
