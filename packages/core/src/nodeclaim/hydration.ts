import { NODE_CLAIMS, type NodeClaim, nodeClassLabel } from '@karpenter-ts/apis';
import { type ApiObject, NODES, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  type Controller,
  DONE,
  kindSource,
  REASONABLE_RETRIES,
  scaleConcurrency,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { findNodeClaim, nodesOf } from '../state/node-nodeclaim-links.ts';
import { isManagedNodeClaim } from '../state/managed.ts';

// Objects created by old releases lack the label that names their NodeClass, by which managed Nodes are recognised.

const CONCURRENCY = { min: 1000, max: 5000 };

/** Keeps the NodeClass label on NodeClaims (spec 03 §13). */
export function nodeClaimHydrationController({ caches, client, options, provider }: ControllerDeps): Controller {
  return {
    name: 'nodeclaim.hydration',
    kind: NODE_CLAIMS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, CONCURRENCY),
    retries: REASONABLE_RETRIES,
    sources: [kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) })],
    reconcile: async (name, signal) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      await ensureClassLabel(client, { type: NODE_CLAIMS, object: nodeClaim }, nodeClaim, signal);
      return DONE;
    },
  };
}

/** Keeps the NodeClass label on the Nodes of managed NodeClaims. */
export function nodeHydrationController({ caches, client, options, provider }: ControllerDeps): Controller {
  return {
    name: 'node.hydration',
    kind: NODES,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, CONCURRENCY),
    retries: REASONABLE_RETRIES,
    sources: [
      kindSource(caches.nodes),
      kindSource(caches.nodeClaims, {
        keys: (nodeClaim) => nodesOf(nodeClaim, caches).map(({ metadata }) => metadata.name),
      }),
    ],
    reconcile: async (name, signal) => {
      const node = caches.nodes.get(name);
      if (node === undefined) return DONE;
      const nodeClaim = findNodeClaim(node, caches);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      await ensureClassLabel(client, { type: NODES, object: node }, nodeClaim, signal);
      return DONE;
    },
  };
}

async function ensureClassLabel(
  client: CancellableClient,
  { type, object }: { readonly type: ResourceType; readonly object: ApiObject },
  { spec }: NodeClaim,
  signal: AbortSignal,
): Promise<void> {
  const { name, labels } = object.metadata;
  const key = nodeClassLabel(spec.nodeClassRef);
  const value = spec.nodeClassRef.name;
  if (labels?.[key] === value) return;
  const body = { metadata: { labels: { [key]: value } } };
  await unlessGone(client.patch(type, { name }, { type: 'merge', body }, {}, signal));
}
