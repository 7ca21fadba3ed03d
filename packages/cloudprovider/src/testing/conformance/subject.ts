import type { NodeClaim, NodePool, RequirementSpec } from '@karpenter-ts/apis';
import type { ResourceList, Taint } from '@karpenter-ts/kubernetes';
import type { CloudProvider } from '../../cloud-provider.ts';

/** Requirements and requests of an instance, in addition to those of the pool. */
export interface Demand {
  readonly requirements?: readonly RequirementSpec[];
  readonly requests?: ResourceList;
}

/**
 * The provider under test with its cloud, set up by the author of the provider for one test. Nothing is launched yet,
 * and tests share nothing.
 */
export interface Subject {
  readonly provider: CloudProvider;
  /** A pool the provider can serve; its NodeClass exists and is ready. */
  readonly nodePool: NodePool;
  /** A new claim of that pool as the API server hands it out, with its uid. */
  makeNodeClaim(demand: Demand): Promise<NodeClaim>;
  /** Awaits a call of the provider. In virtual time it advances the clock until the call is done. */
  finish<T>(call: Promise<T>): Promise<T>;
  /** Lets so many milliseconds pass for the provider and its cloud. */
  advance(duration: number): Promise<void>;
  readonly hooks: TestHooks;
  stop(): Promise<void>;
}

/**
 * Actions and observations that only the author of the provider can supply. Obligations that need a missing one are
 * skipped.
 */
export interface TestHooks {
  /** Makes the cloud run out of capacity. */
  readonly exhaust?: () => Promise<void>;
  /** Makes the cloud throttle the first request of the next call of this method. */
  readonly throttle?: (method: 'create' | 'delete' | 'list') => Promise<void>;
  /** Makes the pool's NodeClass not ready. */
  readonly unreadyNodeClass?: () => Promise<void>;
  readonly removeNodeClass?: () => Promise<void>;
  /** Makes the instance differ from its NodeClass. */
  readonly drift?: (nodeClaim: NodeClaim) => Promise<void>;
  /** Finds the Node that an instance registered as. */
  readonly findNode?: (providerId: string) => Promise<JoinedNode | undefined>;
}

/** What the kit reads of a Node. */
export interface JoinedNode {
  readonly spec?: { readonly taints?: readonly Taint[] | undefined } | undefined;
}
