import { isDeepStrictEqual } from 'node:util';
import type { InstanceTypeInfo } from '@aws-sdk/client-ec2';
import { ChangeMonitor, type CancellableClock, defineGauge, type Logger, type Metrics } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { readFacts } from './type-facts.ts';

const cpuCores = defineGauge(
  'karpenter_cloudprovider_instance_type_cpu_cores',
  ['instance_type'],
  'VCPUs cores for a given instance type.',
);

const memoryBytes = defineGauge(
  'karpenter_cloudprovider_instance_type_memory_bytes',
  ['instance_type'],
  'Memory, in bytes, for a given instance type.',
);

/** Mac types drop out, because their architecture is another one. Nothing else is left out (spec 07 §1, §3). */
const TYPES_REQUEST = {
  Filters: [
    { Name: 'supported-virtualization-type', Values: ['hvm'] },
    { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
  ],
  MaxResults: 100,
};

const NOWHERE: ReadonlySet<string> = new Set();

export interface DiscoveryDeps {
  readonly ec2: Pick<Ec2Api, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>;
  readonly clock: CancellableClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/**
 * The types that EC2 has and the zones that offer them, by EC2's last answers (spec 07 §3). An answer is read whole before
 * it replaces the one before. Types that have not changed keep their objects. An empty answer is an error and changes
 * nothing; upstream forgets all types then (weakness 14).
 */
export class DiscoveredTypes {
  readonly #deps: DiscoveryDeps;
  readonly #changes: ChangeMonitor;
  #types: ReadonlyMap<string, InstanceTypeInfo> = new Map();
  #offered: ReadonlyMap<string, ReadonlySet<string>> = new Map();
  #zones: ReadonlySet<string> = new Set();
  #typesVersion = 0;
  #offeredVersion = 0;

  constructor(deps: DiscoveryDeps) {
    this.#deps = deps;
    this.#changes = new ChangeMonitor(deps.clock);
    deps.metrics.expose(cpuCores, () => this.#samples(({ VCpuInfo }) => VCpuInfo?.DefaultVCpus));
    deps.metrics.expose(memoryBytes, () => this.#samples(mebibytes));
  }

  /** Rises whenever a type, or the zones of one, has changed. */
  get version(): number {
    return this.#typesVersion + this.#offeredVersion;
  }

  /** EC2's descriptions, by type, in the order of their names. Empty until they have been had. */
  get types(): ReadonlyMap<string, InstanceTypeInfo> {
    return this.#types;
  }

  /** All zones in which EC2 offers anything; local zones are among them if the account has opted in. */
  get zones(): ReadonlySet<string> {
    return this.#zones;
  }

  /** The zones that offer a type: none for a type that EC2's list of offerings lacks. */
  zonesOf(instanceType: string): ReadonlySet<string> {
    return this.#offered.get(instanceType) ?? NOWHERE;
  }

  /** Asks EC2 for its types. */
  async refreshTypes(signal: AbortSignal): Promise<void> {
    const { ec2, logger } = this.#deps;
    const types = new Map<string, InstanceTypeInfo>();
    let hasChanged = false;
    try {
      for await (const { InstanceTypes = [] } of pages(ec2.describeInstanceTypes, TYPES_REQUEST, signal)) {
        for (const info of InstanceTypes) {
          if (!info.InstanceType) continue;
          const facts = this.#unlessEqual(readFacts(info));
          hasChanged ||= this.#types.get(info.InstanceType) !== facts;
          types.set(info.InstanceType, facts);
        }
      }
    } catch (error) {
      throw new Error('describing instance types', { cause: error });
    }
    if (types.size === 0) throw new Error('describing instance types, EC2 has answered with none');
    if (hasChanged || types.size !== this.#types.size) {
      this.#types = new Map([...types].sort(([a], [b]) => (a < b ? -1 : 1))); // EC2 names them in any order
      this.#typesVersion++;
    }
    if (this.#changes.hasChanged('instance-types', this.#typesVersion)) {
      logger.debug('discovered instance types', { count: types.size });
    }
  }

  /** Asks EC2 which zones offer which types. */
  async refreshOfferings(signal: AbortSignal): Promise<void> {
    const offered = await this.#listOfferings(signal);
    let hasChanged = offered.size !== this.#offered.size;
    for (const [type, zones] of offered) {
      const known = this.#offered.get(type);
      if (known !== undefined && isEqual(known, zones)) offered.set(type, known);
      else hasChanged = true;
    }
    if (hasChanged) {
      this.#offered = offered;
      const zones = new Set([...offered.values()].flatMap((some) => [...some]).sort());
      if (!isEqual(this.#zones, zones)) this.#zones = zones;
      this.#offeredVersion++;
    }
    const { logger } = this.#deps;
    if (this.#changes.hasChanged('instance-type-offering', this.#offeredVersion)) {
      logger.debug('discovered offerings for instance types', { 'instance-type-count': offered.size });
    }
    if (this.#changes.hasChanged('zones', [...this.#zones])) {
      logger.debug('discovered zones', { zones: [...this.#zones] });
    }
  }

  async #listOfferings(signal: AbortSignal): Promise<Map<string, ReadonlySet<string>>> {
    const { ec2 } = this.#deps;
    const offered = new Map<string, Set<string>>();
    const request = { LocationType: 'availability-zone', MaxResults: 1000 } as const;
    try {
      for await (const page of pages(ec2.describeInstanceTypeOfferings, request, signal)) {
        for (const { InstanceType, Location } of page.InstanceTypeOfferings ?? []) {
          if (!InstanceType || !Location) continue;
          const zones = offered.get(InstanceType);
          if (zones === undefined) offered.set(InstanceType, new Set([Location]));
          else zones.add(Location);
        }
      }
    } catch (error) {
      throw new Error('describing instance type zone offerings', { cause: error });
    }
    if (offered.size === 0) throw new Error('describing instance type zone offerings, EC2 has answered with none');
    return offered;
  }

  /** The object that is known already, if it says the same. */
  #unlessEqual(facts: InstanceTypeInfo): InstanceTypeInfo {
    const known = this.#types.get(facts.InstanceType!);
    return known !== undefined && isDeepStrictEqual(known, facts) ? known : facts;
  }

  *#samples(valueOf: (info: InstanceTypeInfo) => number | undefined) {
    for (const [instance_type, info] of this.#types) {
      const value = valueOf(info);
      yield value === undefined ? undefined : { labels: { instance_type }, value };
    }
  }
}

function mebibytes({ MemoryInfo }: InstanceTypeInfo): number | undefined {
  const size = MemoryInfo?.SizeInMiB;
  return size === undefined ? undefined : size * 1024 * 1024;
}

function isEqual(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size === b.size && a.isSubsetOf(b);
}
