import {
  DEFAULT_BUCKETS,
  defineCounter,
  defineHistogram,
  findCause,
  type Metrics,
  SECOND,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import type { CloudProvider } from './cloud-provider.ts';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from './errors.ts';

const callSeconds = defineHistogram(
  'karpenter_cloudprovider_duration_seconds',
  ['controller', 'method', 'provider'],
  'Duration of cloud provider method calls. Labeled by the controller, method name and provider.',
  DEFAULT_BUCKETS,
);

const callErrors = defineCounter(
  'karpenter_cloudprovider_errors_total',
  ['controller', 'method', 'provider', 'error'],
  'Total number of errors returned from CloudProvider calls.',
);

/** The errors that have a label of their own, in the order they are looked for. Any other error counts under ''. */
const NAMED_ERRORS = [InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError];

/** The calling controller and the registry for its metrics. */
export interface MeterDeps {
  readonly metrics: Metrics;
  readonly clock: SteadyClock;
  /** Name of the calling controller, as its log lines carry it. */
  readonly controller: string;
}

/** Wraps a provider for one controller: calls are timed and errors are counted under that controller's name. */
export function meteredProvider(provider: CloudProvider, { metrics, clock, controller }: MeterDeps): CloudProvider {
  async function measure<T>(method: string, call: () => Promise<T>): Promise<T> {
    const labels = { controller, method, provider: provider.name };
    const started = clock.elapsed();
    try {
      return await call();
    } catch (error) {
      metrics.increment(callErrors, { ...labels, error: errorName(error) });
      throw error;
    } finally {
      metrics.observe(callSeconds, labels, (clock.elapsed() - started) / SECOND);
    }
  }
  return {
    name: provider.name,
    profile: provider.profile,
    nodeClasses: provider.nodeClasses,
    repairPolicies: provider.repairPolicies,
    registrationHooks: provider.registrationHooks,
    reservationIdLabel: provider.reservationIdLabel,
    reservedCapacityLabels: provider.reservedCapacityLabels,
    unsupportedVolumes: provider.unsupportedVolumes,
    defaultTerminationGracePeriod: provider.defaultTerminationGracePeriod,
    create: (nodeClaim, signal) => measure('Create', () => provider.create(nodeClaim, signal)),
    delete: (nodeClaim, signal) => measure('Delete', () => provider.delete(nodeClaim, signal)),
    get: (providerId, signal) => measure('Get', () => provider.get(providerId, signal)),
    list: (signal) => measure('List', () => provider.list(signal)),
    instanceTypes: (nodePool, signal) => measure('GetInstanceTypes', () => provider.instanceTypes(nodePool, signal)),
    findDrift: (nodeClaim, signal) => measure('IsDrifted', () => provider.findDrift(nodeClaim, signal)),
  } satisfies Whole<CloudProvider>;
}

/** Makes optional members required, so that a member added to the contract cannot be forgotten here. */
type Whole<T> = { readonly [K in keyof Required<T>]: T[K] };

function errorName(error: unknown): string {
  for (const type of NAMED_ERRORS) {
    const cause = findCause<Error>(error, type);
    if (cause !== undefined) return cause.name;
  }
  return '';
}
