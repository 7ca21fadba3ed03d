import type { DescribeInstancesCommandInput } from '@aws-sdk/client-ec2';
import { CLUSTER_NAME_TAG, EC2NODECLASS_TAG, NODEPOOL_TAG } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '@karpenter-ts/cloudprovider';
import { defineCounter, type Metrics } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { isAwsNotFound } from '../api/aws-error.ts';
import { pages } from '../api/pages.ts';
import { withContext } from '../api/with-context.ts';
import type { BatchedEc2 } from '../batching/batched-ec2.ts';
import { instancesOf, LIVING_INSTANCES } from '../batching/describe-instances.ts';
import type { ZonalShiftSource } from '../zonal-shift/zonal-shift-source.ts';
import { type DescriptionSettings, instanceOf } from './described-instance.ts';
import type { Instance } from './instance.ts';

export const terminationFailures = defineCounter(
  'karpenter_cloudprovider_instance_termination_failures_total',
  ['zone', 'zone_id'],
  'Number of instance termination (TerminateInstances) failures, dimensioned by availability zone and zone ID.',
);

export interface InstanceDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstances' | 'createTags'>;
  readonly batched: Pick<BatchedEc2, 'describeInstance' | 'terminateInstance'>;
  readonly zonalShifts: Pick<ZonalShiftSource, 'isShifted'>;
  readonly metrics: Metrics;
  readonly clusterName: string;
  readonly settings: DescriptionSettings;
}

/** The most that EC2 allows. */
const PAGE_SIZE = 1000;

/**
 * The instances of this cluster, as EC2 knows them. What was read once is remembered until a listing lacks it.
 *
 * Nothing is asked about, or done to, an instance in a zone that traffic is shifted away from: calls into a zone in
 * trouble fail, and their retries make the trouble worse (spec 07 §17).
 */
export class Instances {
  readonly #deps: InstanceDeps;
  readonly #known = new Map<string, Instance>();

  constructor(deps: InstanceDeps) {
    this.#deps = deps;
  }

  /** The instance, from memory if it is known. Rejects with NodeClaimNotFoundError if EC2 knows no such instance. */
  async get(id: string, signal: AbortSignal): Promise<Instance> {
    return this.#known.get(id) ?? this.#describe(id, signal);
  }

  /** The instance as EC2 tells it now, unless its zone is shifted away from. */
  async getFresh(id: string, signal: AbortSignal): Promise<Instance> {
    return this.#findShifted(id) ?? this.#describe(id, signal);
  }

  /** All instances with the tags that this cluster's instances are launched with. */
  async list(signal: AbortSignal): Promise<readonly Instance[]> {
    const { ec2, clusterName, settings } = this.#deps;
    const listed = new Map<string, Instance>();
    try {
      for await (const page of pages(ec2.describeInstances, listInput(clusterName), signal)) {
        for (const described of instancesOf(page)) {
          const instance = instanceOf(described, settings);
          if (instance.id !== '') listed.set(instance.id, instance);
        }
      }
    } catch (cause) {
      throw withContext('describing ec2 instances', cause);
    }
    this.#replace(listed);
    return [...listed.values()];
  }

  /**
   * Starts the termination. Resolves while the instance terminates, and rejects with NodeClaimNotFoundError once it is
   * gone.
   */
  async delete(id: string, signal: AbortSignal): Promise<void> {
    const { batched, metrics } = this.#deps;
    const instance = await this.getFresh(id, signal);
    if (this.#isShifted(instance)) throw shiftedZoneError(instance, 'skipping termination');
    if (instance.state === 'shutting-down') return;
    try {
      await batched.terminateInstance(id, signal);
    } catch (error) {
      if (!signal.aborted) metrics.increment(terminationFailures, { zone: instance.zone, zone_id: instance.zoneId });
      throw error;
    }
  }

  /** Rejects with NodeClaimNotFoundError if EC2 knows no such instance. */
  async createTags(id: string, tags: Readonly<Record<string, string>>, signal: AbortSignal): Promise<void> {
    const shifted = this.#findShifted(id);
    if (shifted !== undefined) throw shiftedZoneError(shifted, 'skipping tag creation');
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    try {
      await this.#deps.ec2.createTags({ Resources: [id], Tags }, signal);
    } catch (cause) {
      const error = withContext('tagging instance', cause);
      throw isAwsNotFound(cause) ? new NodeClaimNotFoundError(error) : error;
    }
  }

  async #describe(id: string, signal: AbortSignal): Promise<Instance> {
    const described = await this.#deps.batched.describeInstance(id, signal).catch((cause: unknown) => {
      if (!isAwsNotFound(cause)) throw withContext('failed to describe ec2 instances', cause);
      this.#known.delete(id);
      throw new NodeClaimNotFoundError(cause as Error);
    });
    if (described === undefined) {
      this.#known.delete(id);
      throw new NodeClaimNotFoundError(new Error('instance not found'));
    }
    const instance = instanceOf(described, this.#deps.settings);
    this.#known.set(id, instance);
    return instance;
  }

  /** Keeps what is in shifted zones: EC2 may not list it, and it is there all the same. */
  #replace(listed: ReadonlyMap<string, Instance>): void {
    for (const [id, instance] of this.#known) {
      if (!listed.has(id) && !this.#isShifted(instance)) this.#known.delete(id);
    }
    for (const [id, instance] of listed) this.#known.set(id, instance);
  }

  #findShifted(id: string): Instance | undefined {
    const known = this.#known.get(id);
    return known !== undefined && this.#isShifted(known) ? known : undefined;
  }

  #isShifted({ zoneId }: Instance): boolean {
    return zoneId !== '' && this.#deps.zonalShifts.isShifted(zoneId);
  }
}

function listInput(clusterName: string): DescribeInstancesCommandInput {
  return {
    Filters: [
      { Name: 'tag-key', Values: [NODEPOOL_TAG] },
      { Name: 'tag-key', Values: [EC2NODECLASS_TAG] },
      { Name: `tag:${CLUSTER_NAME_TAG}`, Values: [clusterName] },
      LIVING_INSTANCES,
    ],
    MaxResults: PAGE_SIZE,
  };
}

function shiftedZoneError({ id, zone, zoneId }: Instance, consequence: string): Error {
  return new Error(`instance ${id} is in zonally shifted availability zone ${zone} (${zoneId}), ${consequence}`);
}
