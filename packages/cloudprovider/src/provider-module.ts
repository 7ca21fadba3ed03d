import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import type {
  CancellableClient,
  CancellableClock,
  Controller,
  Environment,
  EventRecorder,
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
  /** All that is wrong with the settings, in words for the user. Only the provider that is chosen is asked. */
  check?(options: Parsed<R>): readonly string[];
  /** The provider with these settings. Throws an Error, in words for the user, if it cannot be had with them. */
  configure(options: Parsed<R>, process: ProviderProcess): ConfiguredProvider;
}

/** What a provider may know of the process it is part of. */
export interface ProviderProcess {
  readonly env: Environment;
  /** Of this program, for the clouds that are told it. */
  readonly version: string;
  /** Reads the certificates, in PEM, by which this process knows the API server; undefined if it knows none. */
  readonly readClusterCa: () => Promise<string | undefined>;
}

/** A provider whose settings are known. Nothing runs yet, and nothing has been asked of the cloud. */
export interface ConfiguredProvider {
  /** The kinds of NodeClass it understands. Caches are made for them before the provider is created. */
  readonly nodeClasses: readonly NodeClassKind[];
  /**
   * Called once, before anything runs; the caches are empty still. The process waits for what the provider finds out
   * here, and ends if it rejects.
   */
  create(deps: ProviderDeps): Promise<ProviderParts>;
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
  readonly events: EventRecorder;
  readonly settings: ProviderSettings;
  /** Numbers in [0, 1), for jitter. */
  readonly random: () => number;
  /** Deletes a NodeClaim whose instance the cloud takes back, and counts that. Nothing is deleted or counted twice. */
  readonly deleteNodeClaim: DeleteNodeClaim;
  /** Aborted when the process stops, before anything else does. */
  readonly stopping: AbortSignal;
}

/** Settings of Karpenter that bear on launches. */
export interface ProviderSettings {
  /** Whether `minValues` of a launch may be missed. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** Whether capacity reservations are used. */
  readonly reservedCapacity: boolean;
  /** Whether NodeOverlays change instance types. */
  readonly nodeOverlay: boolean;
}

/** `reason` is a label of metrics. Resolves with whether this call deleted it. */
export type DeleteNodeClaim = (
  nodeClaim: NodeClaim,
  reason: string,
  signal: AbortSignal,
) => Promise<'deleted' | 'already-deleting' | 'gone'>;

/** The caches that a provider shares with the controllers. */
export interface ProviderCaches {
  readonly nodes: Informer<Node, 'providerId'>;
  readonly nodeClaims: Informer<NodeClaim, 'providerId' | 'nodePool' | 'nodeClass'>;
  readonly nodePools: Informer<NodePool, 'nodeClass'>;
  readonly nodeClasses: NodeClassCaches;
}
