import {
  EC2NODECLASS_HASH_ANNOTATIONS,
  EC2NODECLASS_HASH_V5,
  type EC2NodeClass,
  ec2NodeClassHash,
  NODE_CLAIMS,
  type NodeClaim,
} from '@karpenter-ts/apis';
import { nodeClassKey, type ProviderCaches } from '@karpenter-ts/cloudprovider';
import { findCondition, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  combineErrors,
  type Controller,
  DONE,
  kindSource,
  type ObjectCache,
  REASONABLE_RETRIES,
  runParallel,
  unlessGone,
} from '@karpenter-ts/runtime';
import type { ClusterFacts } from '../cluster/cluster-facts.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';

export interface NodeClassHashDeps {
  readonly client: CancellableClient;
  readonly caches: Pick<ProviderCaches, 'nodeClasses'> & {
    readonly nodeClaims: Pick<ObjectCache<NodeClaim, 'nodeClass'>, 'byIndex'>;
  };
  readonly cluster: Pick<ClusterFacts, 'caBundle'>;
}

type Annotations = Readonly<Record<string, string>>;

const { hash: HASH, version: VERSION } = EC2NODECLASS_HASH_ANNOTATIONS;
const PARALLEL = 20;

/**
 * Keeps the hash of what a NodeClass' nodes are launched with in its annotations, by which static drift of its NodeClaims
 * is detected (spec 08 §13). The CA bundle of the cluster counts: nodes with another could not join.
 */
export function nodeClassHashController({ client, caches, cluster }: NodeClassHashDeps): Controller {
  const nodeClasses = caches.nodeClasses.of(EC2_NODE_CLASSES);
  return {
    name: 'nodeclass.hash',
    kind: EC2_NODE_CLASSES,
    concurrency: 10,
    retries: REASONABLE_RETRIES,
    sources: [kindSource(nodeClasses)],
    reconcile: async (name, signal) => {
      const nodeClass = nodeClasses.get(name);
      if (nodeClass === undefined) return DONE;
      const wanted = wantedAnnotations(nodeClass, cluster);
      const annotate = async (type: ResourceType, of: string, annotations: Annotations): Promise<void> => {
        const body = { metadata: { annotations } };
        await unlessGone(client.patch(type, { name: of }, { type: 'merge', body }, {}, signal));
      };
      const { annotations = {} } = nodeClass.metadata;
      // NodeClaims first: one with a hash of the old version must never meet a NodeClass with one of the new.
      if (annotations[VERSION] !== wanted[VERSION]) {
        const users = caches.nodeClaims.byIndex('nodeClass', nodeClassKey({ ...EC2_NODE_CLASSES, name }));
        const outdated = users.filter(({ metadata }) => metadata.annotations?.[VERSION] !== wanted[VERSION]);
        const errors = await runParallel(outdated, PARALLEL, (nodeClaim) =>
          annotate(NODE_CLAIMS, nodeClaim.metadata.name, migratedAnnotations(nodeClaim, wanted)),
        );
        if (errors.length > 0) throw combineErrors(errors);
      }
      const isCurrent = annotations[HASH] === wanted[HASH] && annotations[VERSION] === wanted[VERSION];
      if (!isCurrent) await annotate(EC2_NODE_CLASSES, name, wanted);
      return DONE;
    },
  };
}

function wantedAnnotations(nodeClass: EC2NodeClass, { caBundle = '' }: Pick<ClusterFacts, 'caBundle'>): Annotations {
  return { [HASH]: ec2NodeClassHash(nodeClass, { clusterCaBundle: caBundle }), [VERSION]: EC2NODECLASS_HASH_V5 };
}

/** A NodeClaim with a hash of another version counts as launched with what the NodeClass says now, unless it has drifted. */
function migratedAnnotations(nodeClaim: NodeClaim, wanted: Annotations): Annotations {
  const hasDrifted = findCondition(nodeClaim, 'Drifted') !== undefined;
  return hasDrifted ? { [VERSION]: wanted[VERSION]! } : wanted;
}
