import type { DescribeInstancesCommandInput, DescribeInstancesCommandOutput, Instance } from '@aws-sdk/client-ec2';
import { runParallel, SECOND } from '@karpenter-ts/runtime';
import type { AwsCall } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { Batcher, type BatcherDeps, type Outcome } from './batcher.ts';
import { failsAlone, SINGLE_CALLS } from './single-calls.ts';

type DescribeInstances = AwsCall<DescribeInstancesCommandInput, DescribeInstancesCommandOutput>;

/** The states of instances that exist; a terminated one counts as gone (spec 07 §17). */
export const LIVING_INSTANCES = {
  Name: 'instance-state-name',
  Values: ['pending', 'running', 'stopping', 'stopped', 'shutting-down'],
};

export interface DescribeInstancesDeps extends BatcherDeps {
  readonly describeInstances: DescribeInstances;
}

/** Questions about single instances become one listing. */
export class DescribeInstancesBatcher {
  readonly #batcher: Batcher<string, Instance | undefined>;

  constructor(deps: DescribeInstancesDeps) {
    this.#batcher = new Batcher(
      {
        name: 'describe_instances',
        idle: 100,
        max: 1 * SECOND,
        maxItems: 500,
        bucketOf: () => '', // all use the same filters
        execute: (ids, signal) => describe(ids, deps.describeInstances, signal),
      },
      deps,
    );
  }

  /** The instance; undefined if EC2 answers without it. Rejects with EC2's error, which may say that it does not exist. */
  describe(id: string, signal: AbortSignal): Promise<Instance | undefined> {
    return this.#batcher.add(id, signal);
  }
}

async function describe(
  ids: readonly string[],
  call: DescribeInstances,
  signal: AbortSignal,
): Promise<readonly Outcome<Instance | undefined>[]> {
  const wanted = [...new Set(ids)];
  const outcomes = new Map<string, Outcome<Instance | undefined>>();
  const single = async (id: string): Promise<void> => {
    outcomes.set(id, await describeOne(id, call, signal));
  };
  if (wanted.length === 1) {
    await single(wanted[0]!);
  } else {
    const failure = await describeTogether(wanted, outcomes, call, signal);
    const missing = wanted.filter((id) => !outcomes.has(id));
    if (failure !== undefined && !failsAlone(failure)) for (const id of missing) outcomes.set(id, { error: failure });
    else await runParallel(missing, SINGLE_CALLS, single);
  }
  return ids.map((id) => outcomes.get(id)!);
}

/** Enters what the listing has. Returns what ended it early. */
async function describeTogether(
  ids: readonly string[],
  outcomes: Map<string, Outcome<Instance | undefined>>,
  call: DescribeInstances,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const input = { InstanceIds: [...ids], Filters: [LIVING_INSTANCES] };
    for await (const page of pages(call, input, signal)) {
      for (const instance of instancesOf(page)) outcomes.set(instance.InstanceId ?? '', { output: instance });
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

async function describeOne(
  id: string,
  call: DescribeInstances,
  signal: AbortSignal,
): Promise<Outcome<Instance | undefined>> {
  try {
    const page = await call({ InstanceIds: [id], Filters: [LIVING_INSTANCES] }, signal);
    return { output: instancesOf(page)[0] };
  } catch (error) {
    return { error };
  }
}

/** The instances of all reservations, a word that here means those of one launch. */
export function instancesOf({ Reservations }: DescribeInstancesCommandOutput): readonly Instance[] {
  return (Reservations ?? []).flatMap(({ Instances }) => Instances ?? []);
}
