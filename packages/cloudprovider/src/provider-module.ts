import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import type {
  CancellableClient,
  CancellableClock,
  Controller,
  Informer,
  Logger,
  Metrics,
  OptionRows,
  Parsed,
} from '@karpenter-ts/runtime';
import type { CloudProvider } from './cloud-provider.ts';
import type { NodeClassCaches, NodeClassKind } from './node-class.ts';

/**
 * All that a provider brings to the process: settings, kinds, controllers and the provider itself. A command lists the
 * modules it offers, and knows nothing else of any of them.
 */
export interface ProviderModule<R extends OptionRows = OptionRows> {
  /** What `--provider` is set to; also the provider's name in metrics. */
  readonly name: string;
  /** Flags and environment variables. They are read whichever provider is chosen. */
  readonly options: R;
  /** The provider with these settings. Throws an Error, in words for the user, if it cannot be had with them. */
  configure(options: Parsed<R>): ConfiguredProvider;
}

/** A provider whose settings are known. Nothing runs yet, and nothing has been asked of the cloud. */
export interface ConfiguredProvider {
  /** The kinds of NodeClass it understands. Caches are made for them before the provider is created. */
  readonly nodeClasses: readonly NodeClassKind[];
  /** Called once, before anything runs. */
  create(deps: ProviderDeps): ProviderParts;
}

export interface ProviderParts {
  readonly provider: CloudProvider;
  /** Controllers that run beside Karpenter's own. */
  readonly controllers?: readonly Controller[];
}

/** What a provider may use. */
export interface ProviderDeps {
  readonly client: CancellableClient;
  readonly caches: ProviderCaches;
  readonly clock: CancellableClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Aborted when the process stops, before anything else does. */
  readonly stopping: AbortSignal;
}

/** The caches that a provider shares with the controllers. */
export interface ProviderCaches {
  readonly nodes: Informer<Node, 'providerId'>;
  readonly nodeClaims: Informer<NodeClaim, 'providerId' | 'nodePool' | 'nodeClass'>;
  readonly nodePools: Informer<NodePool, 'nodeClass'>;
  readonly nodeClasses: NodeClassCaches;
}
