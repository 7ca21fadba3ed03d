import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { CancellableClient, CancellableClock, EventRecorder, Logger, Metrics } from '@karpenter-ts/runtime';
import type { OperatorOptions } from '../options/operator-options.ts';
import type { InformerCaches } from './caches.ts';

/** What every controller depends on. Tests pass an embedded API server, a virtual clock and a fake provider. */
export interface ControllerDeps {
  readonly client: CancellableClient;
  readonly caches: InformerCaches;
  readonly provider: CloudProvider;
  readonly clock: CancellableClock;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly options: OperatorOptions;
}
