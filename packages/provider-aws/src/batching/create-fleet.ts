import { randomUUID } from 'node:crypto';
import type { CreateFleetCommandInput, CreateFleetCommandOutput, CreateFleetError } from '@aws-sdk/client-ec2';
import { type Clock, type Logger, SECOND, StructuredError } from '@karpenter-ts/runtime';
import type { AwsCall } from '../api/aws-apis.ts';
import { findAwsError } from '../api/aws-error.ts';
import { type BatcherDeps, Batcher, type Outcome } from './batcher.ts';
import { setKey } from './set-key.ts';

/** A request for one instance. */
export type FleetRequest = Omit<CreateFleetCommandInput, 'ClientToken'>;

/** What one request for an instance gets: an instance or none, and in any case all errors of the call. */
export type FleetAnswer = Pick<CreateFleetCommandOutput, 'Instances' | '$metadata'> & {
  readonly FleetId?: string | undefined;
  readonly Errors: readonly CreateFleetError[];
};

type CreateFleet = AwsCall<CreateFleetCommandInput, CreateFleetCommandOutput>;

/** Before a call that was not answered is sent again. */
const RESEND_AFTER = [1 * SECOND, 3 * SECOND] as const;

const TOO_FEW = 'too few instances returned';

export interface CreateFleetDeps extends BatcherDeps {
  readonly clock: BatcherDeps['clock'] & Pick<Clock, 'sleep'>;
  readonly logger: Logger;
  readonly createFleet: CreateFleet;
}

/** Equal requests for one instance become one call for many. */
export class CreateFleetBatcher {
  readonly #batcher: Batcher<FleetRequest, FleetAnswer>;

  constructor(deps: CreateFleetDeps) {
    this.#batcher = new Batcher<FleetRequest, FleetAnswer>(
      {
        name: 'create_fleet',
        idle: 35,
        max: 1 * SECOND,
        maxItems: 1000,
        bucketOf: setKey,
        execute: (requests, signal) => createFleets(requests, deps, signal),
        discard: ({ Instances }) => {
          for (const id of instanceIdsOf(Instances)) logSurplus(id, deps.logger);
        },
      },
      deps,
    );
  }

  /** Rejects with the error of the call; errors of single offerings are in the answer. */
  async create(request: FleetRequest, signal: AbortSignal): Promise<FleetAnswer> {
    const count = request.TargetCapacitySpecification?.TotalTargetCapacity;
    if (count !== undefined && count !== 1) {
      throw new StructuredError('expected to receive a single instance only', { 'instance-count': count });
    }
    return this.#batcher.add(request, signal);
  }
}

async function createFleets(
  requests: readonly FleetRequest[],
  deps: CreateFleetDeps,
  signal: AbortSignal,
): Promise<readonly Outcome<FleetAnswer>[]> {
  const [first] = requests;
  const input: CreateFleetCommandInput = {
    ...first!,
    TargetCapacitySpecification: { ...first!.TargetCapacitySpecification!, TotalTargetCapacity: requests.length },
    ClientToken: randomUUID(),
  };
  const output = await callUntilAnswered(input, deps, signal);
  const { answers, surplus } = splitFleet(output, requests.length);
  for (const id of surplus) logSurplus(id, deps.logger);
  return answers.map((answer) => ({ output: answer }));
}

/** EC2 says with these that it has failed, not whether it had bought by then. */
const FAILED_ON_THE_WAY: ReadonlySet<string> = new Set([
  'Internal',
  'InternalError',
  'InternalFailure',
  'ServiceUnavailable',
  'Unavailable',
]);

/** Only a status of the server's own fault comes from the middle of its work; throttling has one, too. */
function wasRefused(error: unknown): boolean {
  const refusal = findAwsError(error);
  if (refusal === undefined) return false;
  return !(FAILED_ON_THE_WAY.has(refusal.code) && (refusal.statusCode ?? 0) >= 500);
}

/**
 * A call that got no answer may have bought instances. It is sent again with the same token, for which EC2 gives the
 * answer of the first instead of buying twice.
 */
async function callUntilAnswered(
  input: CreateFleetCommandInput,
  { createFleet, clock, logger }: CreateFleetDeps,
  signal: AbortSignal,
): Promise<CreateFleetCommandOutput> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await createFleet(input, signal);
    } catch (error) {
      const delay = RESEND_AFTER[attempt];
      if (delay === undefined || signal.aborted || wasRefused(error)) throw error;
      logger.error('create fleet request was not answered, sending it again', error);
      await clock.sleep(delay, signal);
    }
  }
}

/** One instance for each caller as far as they go, and the errors for all. */
export function splitFleet(
  output: CreateFleetCommandOutput,
  count: number,
): { readonly answers: readonly FleetAnswer[]; readonly surplus: readonly string[] } {
  const { $metadata, FleetId } = output;
  const errors = output.Errors ?? [];
  const singles = (output.Instances ?? []).flatMap((instance) =>
    (instance.InstanceIds ?? []).map((id) => ({ ...instance, InstanceIds: [id] })),
  );
  const answers: FleetAnswer[] = singles
    .slice(0, count)
    .map((instance) => ({ $metadata, FleetId, Errors: errors, Instances: [instance] }));
  const shortage = errors.length > 0 ? errors : [{ ErrorCode: TOO_FEW, ErrorMessage: TOO_FEW }];
  while (answers.length < count) answers.push({ $metadata, FleetId, Errors: shortage, Instances: [] });
  return { answers, surplus: instanceIdsOf(singles.slice(count)) };
}

function instanceIdsOf(instances: CreateFleetCommandOutput['Instances']): readonly string[] {
  return (instances ?? []).flatMap(({ InstanceIds }) => InstanceIds ?? []);
}

/** Nobody will claim it, so garbage collection terminates it. */
function logSurplus(id: string, logger: Logger): void {
  const problem = new StructuredError('received more instances than requested, ignoring instance', {
    'instance-id': id,
  });
  logger.error('received error while batching', problem);
}
