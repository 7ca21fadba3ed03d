import {
  combineErrors,
  type Controller,
  defineCounter,
  type Logger,
  type Metrics,
  MINUTE,
  runParallel,
  singleton,
} from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { isUnauthorizedOperation } from '../api/aws-error.ts';
import { within } from '../api/with-context.ts';
import type { NodeClaimsByInstance } from '../instances/node-claims-by-instance.ts';
import { type InterruptDeps, interruptNodeClaim } from '../interruption/interrupt-node-claim.ts';
import type { InterruptionKind } from '../interruption/interruption.ts';
import { listInstanceStatuses } from '../interruption/list-instance-statuses.ts';
import { type HealthCategory, unhealthyInstances } from '../interruption/unhealthy-instances.ts';

export const unhealthyStatuses = defineCounter(
  'karpenter_interruption_instance_status_unhealthy_total',
  ['category'],
  'Count of unique unhealthy instance statuses detected from EC2 DescribeInstanceStatus. Broken down by status check category.',
);

export interface InstanceStatusDeps extends InterruptDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstanceStatus'>;
  readonly nodeClaims: Pick<NodeClaimsByInstance, 'find'>;
  readonly metrics: Metrics;
}

const PERIOD = 1 * MINUTE;
const PARALLEL = 10;

/** Upstream never asks again until it is restarted. */
const PERIOD_WITHOUT_PERMISSION = 10 * MINUTE;
const NO_PERMISSION =
  'ec2:DescribeInstanceStatus permission is not allowed, update the IAM policy and restart the Karpenter deployment to enable instance status health checks';

const KINDS: Readonly<Record<HealthCategory, InterruptionKind>> = {
  InstanceStatus: 'instance_status',
  SystemStatus: 'system_status',
  EventStatus: 'event_status',
};

/** One failing check of one instance. */
interface Finding {
  readonly id: string;
  readonly category: HealthCategory;
}

/** Replaces the Nodes of instances that EC2 says are failing, with or without an interruption queue (spec 07 §26). */
export function instanceStatusController(deps: InstanceStatusDeps): Controller {
  const seen = new SeenFindings(deps.metrics);
  let isRefused = false;
  return singleton('interruption.instancestatus', async (signal, logger) => {
    try {
      await replaceUnhealthy(deps, seen, { signal, logger });
      isRefused = false;
      return { requeueAfter: PERIOD };
    } catch (error) {
      if (!isUnauthorizedOperation(error)) throw error;
      if (!isRefused) logger.error(NO_PERMISSION, error);
      isRefused = true;
      return { requeueAfter: PERIOD_WITHOUT_PERMISSION };
    }
  });
}

interface Reconcile {
  readonly signal: AbortSignal;
  readonly logger: Logger;
}

async function replaceUnhealthy(deps: InstanceStatusDeps, seen: SeenFindings, reconcile: Reconcile): Promise<void> {
  const { ec2, clock, nodeClaims } = deps;
  const statuses = await within('getting instance statuses', listInstanceStatuses(ec2, reconcile.signal));
  const ours = unhealthyInstances(statuses, clock.now()).filter(({ id }) => nodeClaims.find(id).length > 0);
  seen.replace(
    ours.flatMap(({ id, categories }) => categories.map((category) => ({ id, category }))),
    reconcile.logger,
  );
  const errors = await runParallel(ours, PARALLEL, async ({ id, categories }) => {
    for (const category of categories) await act({ id, category }, deps, reconcile);
  });
  if (errors.length > 0) throw combineErrors(errors);
}

async function act({ id, category }: Finding, deps: InstanceStatusDeps, { signal, logger }: Reconcile): Promise<void> {
  const kind = KINDS[category];
  for (const nodeClaim of deps.nodeClaims.find(id)) {
    const work = within('acting on NodeClaims', interruptNodeClaim({ nodeClaim, kind, logger }, deps, signal));
    await within('handling instance status check message', work);
  }
}

/** Counts and logs each finding once for as long as it lasts. */
class SeenFindings {
  readonly #metrics: Metrics;
  #seen: ReadonlySet<string> = new Set();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
  }

  replace(findings: readonly Finding[], logger: Logger): void {
    const now = new Set<string>();
    for (const { id, category } of findings) {
      const key = `${id} ${category}`;
      now.add(key);
      if (this.#seen.has(key)) continue;
      logger.info('detected unhealthy instance owned by cluster', { instanceID: id, category });
      this.#metrics.increment(unhealthyStatuses, { category });
    }
    this.#seen = now;
  }
}
