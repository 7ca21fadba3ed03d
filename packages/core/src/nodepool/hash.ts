import { findCondition, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  combineErrors,
  type Controller,
  DONE,
  kindSource,
  runParallel,
  scaleConcurrency,
  unlessGone,
} from '@karpenter-ts/runtime';
import {
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  type NodePool,
  NODEPOOL_HASH_ANNOTATIONS,
  NODEPOOL_HASH_V3,
  nodePoolHash,
} from '@karpenter-ts/apis';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { isManagedNodeClaim, isManagedNodePool } from '../state/managed.ts';

type Annotations = Readonly<Record<string, string>>;
type Pass = ControllerDeps & { readonly signal: AbortSignal };

const { hash: HASH, version: VERSION } = NODEPOOL_HASH_ANNOTATIONS;
const PARALLEL = 20;

/**
 * Keeps the hash of a NodePool's template in its annotations, by which drift of its NodeClaims is detected (spec 03
 * §11.5).
 */
export function hashController(core: ControllerDeps): Controller {
  const { caches, options, provider } = core;
  return {
    name: 'nodepool.hash',
    kind: NODE_POOLS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [kindSource(caches.nodePools, { when: ({ object }) => isManagedNodePool(object, provider) })],
    reconcile: async (name, signal) => {
      const nodePool = caches.nodePools.get(name);
      if (nodePool === undefined || !isManagedNodePool(nodePool, provider)) return DONE;
      const pass = { ...core, signal };
      const { annotations = {} } = nodePool.metadata;
      const wanted = { [HASH]: nodePoolHash(nodePool), [VERSION]: NODEPOOL_HASH_V3 };
      // NodeClaims first: a NodeClaim with a hash of the old version must never meet a NodePool with one of the new.
      if (annotations[VERSION] !== NODEPOOL_HASH_V3) await migrateNodeClaims(pass, nodePool, wanted);
      const isCurrent = annotations[HASH] === wanted[HASH] && annotations[VERSION] === wanted[VERSION];
      if (!isCurrent) await annotate(pass, NODE_POOLS, name, wanted);
      return DONE;
    },
  };
}

/**
 * NodeClaims with a hash of another version are taken as made from the current template, unless they are known to be
 * drifted.
 */
async function migrateNodeClaims(pass: Pass, { metadata }: NodePool, current: Annotations): Promise<void> {
  const { caches, provider } = pass;
  const outdated = caches.nodeClaims
    .byIndex('nodePool', metadata.name)
    .filter((nodeClaim) => isManagedNodeClaim(nodeClaim, provider) && isOutdated(nodeClaim));
  const errors = await runParallel(outdated, PARALLEL, (nodeClaim) => {
    const isDrifted = findCondition(nodeClaim, 'Drifted') !== undefined;
    const wanted = isDrifted ? { [VERSION]: NODEPOOL_HASH_V3 } : current;
    return annotate(pass, NODE_CLAIMS, nodeClaim.metadata.name, wanted);
  });
  if (errors.length > 0) throw combineErrors(errors);
}

function isOutdated({ metadata }: NodeClaim): boolean {
  return metadata.annotations?.[VERSION] !== NODEPOOL_HASH_V3;
}

async function annotate(
  { client, signal }: Pass,
  type: ResourceType,
  name: string,
  annotations: Annotations,
): Promise<void> {
  const body = { metadata: { annotations } };
  await unlessGone(client.patch(type, { name }, { type: 'merge', body }, {}, signal));
}
