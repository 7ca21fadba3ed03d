import type { NodeClaim, NodePool, RequirementSpec } from '@karpenter-ts/apis';
import type { ResourceList, Taint } from '@karpenter-ts/kubernetes';
import type { CloudProvider } from '../../cloud-provider.ts';

/** What a test asks of an instance, beside what the pool asks of all. */
export interface Demand {
  readonly requirements?: readonly RequirementSpec[];
  readonly requests?: ResourceList;
}

/**
 * A provider and the cloud it stands on, as its maker sets them up for one test: nothing is launched yet, and nothing of
 * it is used by another test.
 */
export interface Subject {
  readonly provider: CloudProvider;
  /** A pool the provider can serve; its NodeClass exists and is ready. */
  readonly nodePool: NodePool;
  /** A new claim of that pool as the API server hands it out, with its uid. */
  makeNodeClaim(demand: Demand): Promise<NodeClaim>;
  /** Waits for a call of the provider; in virtual time, moves the clock until it settles. */
  finish<T>(call: Promise<T>): Promise<T>;
  /** Lets so many milliseconds pass for the provider and its cloud. */
  advance(duration: number): Promise<void>;
  readonly hooks: TestHooks;
  stop(): Promise<void>;
}

/** What only the maker of a provider can bring about or see. Tests that need what is absent are skipped. */
export interface TestHooks {
  /** The cloud has nothing left to sell. */
  readonly exhaust?: () => Promise<void>;
  /** The cloud turns away, for asking too often, what the next call of this method asks of it first. */
  readonly throttle?: (method: 'create' | 'delete' | 'list') => Promise<void>;
  /** The pool's NodeClass stops being ready. */
  readonly unreadyNodeClass?: () => Promise<void>;
  readonly removeNodeClass?: () => Promise<void>;
  /** The instance is no longer what its NodeClass asks for. */
  readonly drift?: (nodeClaim: NodeClaim) => Promise<void>;
  /** The Node by which an instance joined the cluster. */
  readonly findNode?: (providerId: string) => Promise<JoinedNode | undefined>;
}

/** What the kit reads of a Node. */
export interface JoinedNode {
  readonly spec?: { readonly taints?: readonly Taint[] | undefined } | undefined;
}
