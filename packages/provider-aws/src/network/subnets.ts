import type { Filter, Subnet } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ChangeMonitor, errorText, type Logger, type SteadyClock, StructuredError } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { AnswerCache } from '../api/answer-cache.ts';
import { generationKey, type NodeClassSpec } from '../node-class/node-class-parts.ts';
import { tagFilters } from '../node-class/tag-filters.ts';
import type { StatusSubnet, SubnetAddressBook } from './subnet-address-book.ts';

export interface SubnetsDeps {
  readonly ec2: Pick<Ec2Api, 'describeSubnets'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Told how many addresses each subnet has left. */
  readonly addresses: Pick<SubnetAddressBook, 'listed'>;
  /** Milliseconds for which EC2 is not asked again. */
  readonly refreshInterval: number;
  readonly stopping: AbortSignal;
}

const PAGE_SIZE = 500;

/** The subnets that NodeClasses select (spec 08 §4). */
export class Subnets {
  readonly #deps: SubnetsDeps;
  readonly #answers: AnswerCache<readonly StatusSubnet[]>;
  readonly #changes: ChangeMonitor;

  constructor(deps: SubnetsDeps) {
    this.#deps = deps;
    this.#answers = new AnswerCache({ ...deps, lifetime: deps.refreshInterval });
    this.#changes = new ChangeMonitor(deps.clock);
  }

  /** What the status lists: most free addresses first, then by id. */
  list(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<readonly StatusSubnet[]> {
    return this.#answers.get(generationKey(nodeClass), (call) => this.#describe(nodeClass, call), signal);
  }

  async #describe({ metadata, spec }: EC2NodeClass, signal: AbortSignal): Promise<readonly StatusSubnet[]> {
    const found = new Map<string, Subnet>();
    for (const filters of subnetFilterSets(spec?.subnetSelectorTerms ?? [])) {
      for await (const subnet of this.#matching(filters, signal)) found.set(subnet.SubnetId!, subnet);
    }
    for (const { SubnetId: id, AvailableIpAddressCount: free = 0 } of found.values()) {
      this.#deps.addresses.listed(id!, free);
    }
    const subnets = inStatusOrder([...found.values()]);
    const ids = subnets.map(({ id }) => id);
    if (this.#changes.hasChanged(`subnets/${metadata.name}`, ids)) {
      this.#deps.logger.debug('discovered subnets', { subnets });
    }
    return subnets;
  }

  async *#matching(filters: readonly Filter[], signal: AbortSignal): AsyncGenerator<Subnet, void, undefined> {
    const input = { Filters: [...filters], MaxResults: PAGE_SIZE };
    try {
      for await (const { Subnets: page = [] } of pages(this.#deps.ec2.describeSubnets, input, signal)) {
        yield* page.filter(
          ({ SubnetId, AvailabilityZone }) => SubnetId !== undefined && AvailabilityZone !== undefined,
        );
      }
    } catch (cause) {
      throw new StructuredError(
        `describing subnets with filters, ${errorText(cause)}`,
        { filters: JSON.stringify(filters) },
        { cause },
      );
    }
  }
}

/** One listing for each set: a subnet is selected if it passes any of them. All ids are asked for at once. */
export function subnetFilterSets(terms: NonNullable<NodeClassSpec['subnetSelectorTerms']>): readonly Filter[][] {
  const ids = terms.flatMap(({ id }) => id || []);
  const byTags = terms.filter(({ id }) => !id).map(({ tags }) => tagFilters(tags));
  return ids.length === 0 ? byTags : [...byTags, [{ Name: 'subnet-id', Values: ids }]];
}

function inStatusOrder(subnets: readonly Subnet[]): readonly StatusSubnet[] {
  const free = ({ AvailableIpAddressCount = 0 }: Subnet): number => AvailableIpAddressCount;
  const sorted = [...subnets].sort((a, b) => free(b) - free(a) || (a.SubnetId! < b.SubnetId! ? -1 : 1));
  return sorted.map(({ SubnetId, AvailabilityZone, AvailabilityZoneId }) => ({
    id: SubnetId!,
    zone: AvailabilityZone!,
    ...(AvailabilityZoneId && { zoneID: AvailabilityZoneId }),
  }));
}
