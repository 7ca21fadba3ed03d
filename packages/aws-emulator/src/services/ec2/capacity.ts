import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import type { Lifecycle } from './instance.ts';
import type { Refusal } from './refusals.ts';

/** What can run out: a type in a zone, on demand or as spot. */
export interface Pool {
  readonly instanceType: string;
  readonly zone: string;
  readonly lifecycle: Lifecycle;
}

/** A group of types that have a vCPU quota together. */
export type QuotaClass = 'standard' | 'f' | 'g' | 'p' | 'inf' | 'trn' | 'dl' | 'x' | 'high-memory' | 'hpc' | 'mac';

interface Taken {
  readonly pool: Pool | undefined;
  readonly lifecycle: Lifecycle;
  readonly type: InstanceTypeInfo;
}

interface PoolRefusal {
  readonly pools: Partial<Pool>;
  readonly refusal: Refusal;
}

interface PoolLimit {
  readonly pools: Partial<Pool>;
  readonly most: number;
}

/** How many instances there can be of each pool, how many vCPUs of each class, and how many there are. Nothing is limited at first. */
export class Capacity {
  readonly #limits = new Map<string, PoolLimit>();
  readonly #refusals = new Set<PoolRefusal>();
  readonly #quotas = new Map<string, number>();
  readonly #instances = new Map<string, number>();
  readonly #vcpus = new Map<string, number>();

  /** Sets how many instances of ours each of these pools can have at a time. What is said later is what counts. */
  limit(pools: Partial<Pool>, most: number): void {
    const key = JSON.stringify([pools.instanceType, pools.zone, pools.lifecycle]);
    this.#limits.delete(key);
    if (most !== Number.POSITIVE_INFINITY || this.#limits.size > 0) this.#limits.set(key, { pools, most });
  }

  /** Launches from these pools are refused in these words. Returns how to lift that. */
  refuse(pools: Partial<Pool>, refusal: Refusal): () => void {
    const added = { pools, refusal };
    this.#refusals.add(added);
    return () => this.#refusals.delete(added);
  }

  findRefusal(pool: Pool): Refusal | undefined {
    for (const { pools, refusal } of this.#refusals) if (isMeant(pool, pools)) return refusal;
    return undefined;
  }

  setQuota(lifecycle: 'on-demand' | 'spot', quotaClass: QuotaClass, vcpus: number): void {
    this.#quotas.set(`${lifecycle}/${quotaClass}`, vcpus);
  }

  /** How many more instances a pool has. */
  leftIn(pool: Pool): number {
    return Math.max(0, this.#mostOf(pool) - (this.#instances.get(keyOf(pool)) ?? 0));
  }

  /** How many more instances of a type the vCPU quota allows. */
  leftInQuota(lifecycle: Lifecycle, type: InstanceTypeInfo): number {
    const key = quotaKey(lifecycle, type);
    const quota = this.#quotas.get(key) ?? Number.POSITIVE_INFINITY;
    return Math.max(0, Math.floor((quota - (this.#vcpus.get(key) ?? 0)) / vcpusOf(type)));
  }

  quotaRefusal(lifecycle: Lifecycle, type: InstanceTypeInfo): Refusal {
    if (lifecycle === 'spot') {
      return { code: 'MaxSpotInstanceCountExceeded', message: 'Max spot instance count exceeded' };
    }
    const quota = this.#quotas.get(quotaKey(lifecycle, type))!;
    return {
      code: 'VcpuLimitExceeded',
      message:
        `You have requested more vCPU capacity than your current vCPU limit of ${quota} allows for the instance bucket ` +
        'that the specified instance type belongs to. Please visit http://aws.amazon.com/contact-us/ec2-request to ' +
        'request an adjustment to this limit.',
    };
  }

  /** Without a pool for an instance in a reservation: that capacity is the account's already. */
  take({ pool, lifecycle, type }: Taken): void {
    if (pool !== undefined) add(this.#instances, keyOf(pool), 1);
    add(this.#vcpus, quotaKey(lifecycle, type), vcpusOf(type));
  }

  giveBack({ pool, lifecycle, type }: Taken): void {
    if (pool !== undefined) add(this.#instances, keyOf(pool), -1);
    add(this.#vcpus, quotaKey(lifecycle, type), -vcpusOf(type));
  }

  #mostOf(pool: Pool): number {
    let most = Number.POSITIVE_INFINITY;
    for (const limit of this.#limits.values()) if (isMeant(pool, limit.pools)) most = limit.most;
    return most;
  }
}

function isMeant(pool: Pool, { instanceType, zone, lifecycle }: Partial<Pool>): boolean {
  return (
    (instanceType === undefined || instanceType === pool.instanceType) &&
    (zone === undefined || zone === pool.zone) &&
    (lifecycle === undefined || lifecycle === pool.lifecycle)
  );
}

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

function keyOf({ instanceType, zone, lifecycle }: Pool): string {
  return `${instanceType}/${zone}/${lifecycle}`;
}

function quotaKey(lifecycle: Lifecycle, type: InstanceTypeInfo): string {
  return `${lifecycle === 'spot' ? 'spot' : 'on-demand'}/${quotaClassOf(type.InstanceType!)}`;
}

function vcpusOf(type: InstanceTypeInfo): number {
  return type.VCpuInfo?.DefaultVCpus ?? 1;
}

const CLASSES: readonly (readonly [pattern: RegExp, quotaClass: QuotaClass])[] = [
  [/^(vt|g)\d/, 'g'],
  [/^p\d/, 'p'],
  [/^inf/, 'inf'],
  [/^trn/, 'trn'],
  [/^dl/, 'dl'],
  [/^f\d/, 'f'],
  [/^x/, 'x'],
  [/^u/, 'high-memory'],
  [/^hpc/, 'hpc'],
  [/^mac/, 'mac'],
];

function quotaClassOf(instanceType: string): QuotaClass {
  return CLASSES.find(([pattern]) => pattern.test(instanceType))?.[1] ?? 'standard';
}
