import { ApiError } from '../../wire/api-error.ts';

/** How many tokens a bucket holds, and how many a second are added. */
export interface Rate {
  readonly burst: number;
  readonly perSecond: number;
}

interface Bucket {
  tokens: number;
  at: number;
}

// From "Request throttling for the Amazon EC2 API" of the EC2 Developer Guide.
const NON_MUTATING: Rate = { burst: 100, perSecond: 20 };
const UNFILTERED: Rate = { burst: 50, perSecond: 10 };
const MUTATING: Rate = { burst: 50, perSecond: 5 };
const OF_THEIR_OWN: Readonly<Record<string, Rate>> = {
  CreateTags: { burst: 100, perSecond: 10 },
  DeleteTags: { burst: 100, perSecond: 10 },
  RunInstances: { burst: 5, perSecond: 2 },
  TerminateInstances: { burst: 100, perSecond: 5 },
};
const SMALLER_WHEN_UNFILTERED = new Set(['DescribeInstances', 'DescribeInstanceStatus', 'DescribeSecurityGroups']);
const BY_RESOURCES: Readonly<Record<string, Rate>> = {
  RunInstances: { burst: 1000, perSecond: 2 },
  TerminateInstances: { burst: 1000, perSecond: 20 },
};

/** Requests take a token from the bucket of their call, and some another for each instance that they concern. */
export class TokenBuckets {
  readonly #clock: { now(): number };
  readonly #buckets = new Map<string, Bucket>();
  readonly #rates = new Map<string, Rate>();

  constructor(clock: { now(): number }) {
    this.#clock = clock;
  }

  /** From now on; the bucket of the call is full. */
  setRate(operation: string, rate: Rate): void {
    this.#rates.set(operation, rate);
    for (const kind of ['requests', 'unfiltered', 'resources']) this.#buckets.delete(`${operation}/${kind}`);
  }

  /** Throws an ApiError for a request that is one too many. */
  admit(operation: string, input: object): void {
    const kind = isUnfiltered(operation, input) ? 'unfiltered' : 'requests';
    this.#take(operation, kind, requestRate(operation, kind), 1);
    const resources = BY_RESOURCES[operation];
    if (resources !== undefined && !('DryRun' in input && input.DryRun === true)) {
      this.#take(operation, 'resources', resources, resourcesOf(input));
    }
  }

  #take(operation: string, kind: string, documented: Rate, count: number): void {
    const { burst, perSecond } = this.#rates.get(operation) ?? documented;
    const key = `${operation}/${kind}`;
    const now = this.#clock.now();
    const bucket = this.#buckets.get(key) ?? { tokens: burst, at: now };
    this.#buckets.set(key, bucket);
    const passed = Math.max(0, now - bucket.at) / 1000;
    bucket.tokens = Math.min(burst, bucket.tokens + passed * perSecond);
    bucket.at = now;
    if (bucket.tokens < count) throw new ApiError('RequestLimitExceeded', 'Request limit exceeded.', { status: 503 });
    bucket.tokens -= count;
  }
}

function requestRate(operation: string, kind: 'requests' | 'unfiltered'): Rate {
  if (kind === 'unfiltered') return UNFILTERED;
  return OF_THEIR_OWN[operation] ?? (operation.startsWith('Describe') ? NON_MUTATING : MUTATING);
}

/** EC2 has less patience with requests for everything at once. */
function isUnfiltered(operation: string, input: object): boolean {
  if (!SMALLER_WHEN_UNFILTERED.has(operation)) return false;
  const { Filters, MaxResults, NextToken } = input as { Filters?: unknown[]; MaxResults?: number; NextToken?: string };
  return !Filters?.length && MaxResults === undefined && NextToken === undefined;
}

function resourcesOf(input: object): number {
  const { InstanceIds, MaxCount } = input as { InstanceIds?: string[]; MaxCount?: number };
  return InstanceIds?.length ?? MaxCount ?? 1;
}
