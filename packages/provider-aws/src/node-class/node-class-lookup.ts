import {
  AWS_GROUP,
  type EC2NodeClass,
  NODE_CLAIMS,
  NODE_POOLS,
  type NodeClaim,
  type NodePool,
} from '@karpenter-ts/apis';
import type { NodeClassKind } from '@karpenter-ts/cloudprovider';
import type { ApiObject, ResourceType } from '@karpenter-ts/kubernetes';
import { type EventDraft, type EventRecorder, notFoundText, subjectOf } from '@karpenter-ts/runtime';
import { nodeClassConditions } from './node-class-parts.ts';

/** The kind of NodeClass this provider understands. */
export const EC2_NODE_CLASSES: NodeClassKind<EC2NodeClass> = {
  group: AWS_GROUP,
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
  conditions: ({ reservedCapacity }) => nodeClassConditions(reservedCapacity),
};

/** There is no such NodeClass, or it is being deleted, which counts as much: nothing may be launched with it. */
export class NodeClassNotFoundError extends Error {
  override readonly name = 'NodeClassNotFoundError';
}

export interface NodeClassLookupDeps {
  readonly cache: { get(name: string): EC2NodeClass | undefined };
  readonly events: EventRecorder;
}

/** Finds NodeClasses in the cache. One that is being deleted is not found. */
export class NodeClassLookup {
  readonly #deps: NodeClassLookupDeps;

  constructor(deps: NodeClassLookupDeps) {
    this.#deps = deps;
  }

  /** The NodeClass of this name, for those who can do without: nothing is published. */
  find(name: string): EC2NodeClass | undefined {
    const nodeClass = this.#deps.cache.get(name);
    return nodeClass?.metadata.deletionTimestamp === undefined ? nodeClass : undefined;
  }

  /** The NodeClass to launch the NodeClaim with. Publishes an event and throws NodeClassNotFoundError if there is none. */
  ofNodeClaim(nodeClaim: NodeClaim): EC2NodeClass {
    const { name } = nodeClaim.spec.nodeClassRef;
    const nodeClass = this.find(name);
    if (nodeClass !== undefined) return nodeClass;
    this.#deps.events.publish(failedResolvingNodeClass(NODE_CLAIMS, nodeClaim));
    throw new NodeClassNotFoundError(this.#whyNot(name));
  }

  /** The NodeClass that the NodePool refers to now. Publishes an event if there is none. */
  ofNodePool(nodePool: NodePool): EC2NodeClass | undefined {
    const nodeClass = this.find(nodePool.spec.template.spec.nodeClassRef.name);
    if (nodeClass === undefined) this.#deps.events.publish(failedResolvingNodeClass(NODE_POOLS, nodePool));
    return nodeClass;
  }

  #whyNot(name: string): string {
    if (this.#deps.cache.get(name) === undefined) return notFoundText(EC2_NODE_CLASSES, name);
    const { plural, group } = EC2_NODE_CLASSES;
    return `${plural}.${group} "${name}" is terminating, treating as not found`;
  }
}

/** Upstream gives this event no reason (spec 07 §28). */
function failedResolvingNodeClass(type: ResourceType, object: ApiObject): EventDraft {
  return {
    on: subjectOf(type, object),
    type: 'Warning',
    reason: '',
    message: 'Failed resolving NodeClass',
    dedupe: [object.metadata.uid ?? ''],
  };
}
