import type { Instance } from '@aws-sdk/client-ec2';
import type { Clock, Logger } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import type { BatcherDeps } from './batcher.ts';
import { CreateFleetBatcher, type FleetAnswer, type FleetRequest } from './create-fleet.ts';
import { DescribeInstancesBatcher } from './describe-instances.ts';
import { TerminateInstancesBatcher } from './terminate-instances.ts';

export interface BatchedEc2Deps extends BatcherDeps {
  readonly ec2: Pick<Ec2Api, 'createFleet' | 'describeInstances' | 'terminateInstances'>;
  readonly clock: BatcherDeps['clock'] & Pick<Clock, 'sleep'>;
  readonly logger: Logger;
}

/** Calls about one instance, which are made for many at a time. */
export class BatchedEc2 {
  readonly #fleets: CreateFleetBatcher;
  readonly #descriptions: DescribeInstancesBatcher;
  readonly #terminations: TerminateInstancesBatcher;

  constructor({ ec2, ...deps }: BatchedEc2Deps) {
    const { createFleet, describeInstances, terminateInstances } = ec2;
    this.#fleets = new CreateFleetBatcher({ ...deps, createFleet });
    this.#descriptions = new DescribeInstancesBatcher({ ...deps, describeInstances });
    this.#terminations = new TerminateInstancesBatcher({ ...deps, terminateInstances });
  }

  createFleet(request: FleetRequest, signal: AbortSignal): Promise<FleetAnswer> {
    return this.#fleets.create(request, signal);
  }

  describeInstance(id: string, signal: AbortSignal): Promise<Instance | undefined> {
    return this.#descriptions.describe(id, signal);
  }

  terminateInstance(id: string, signal: AbortSignal): Promise<void> {
    return this.#terminations.terminate(id, signal);
  }
}
