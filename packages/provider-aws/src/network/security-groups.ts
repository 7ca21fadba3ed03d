import type { Filter, SecurityGroup } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ChangeMonitor, errorText, type Logger, MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import type { Ec2Api } from '../api/aws-apis.ts';
import { pages } from '../api/pages.ts';
import { AnswerCache } from '../api/answer-cache.ts';
import { generationKey, type NodeClassSpec, type NodeClassStatus } from '../node-class/node-class-parts.ts';
import { tagFilters } from '../node-class/tag-filters.ts';

/** A security group as the status of a NodeClass names it. */
export type StatusSecurityGroup = NonNullable<NodeClassStatus['securityGroups']>[number];

export interface SecurityGroupsDeps {
  readonly ec2: Pick<Ec2Api, 'describeSecurityGroups'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly stopping: AbortSignal;
}

const LIFETIME = 1 * MINUTE;
const PAGE_SIZE = 500;

/** The security groups that NodeClasses select (spec 08 §5). All of them are attached to an instance. */
export class SecurityGroups {
  readonly #deps: SecurityGroupsDeps;
  readonly #answers: AnswerCache<readonly StatusSecurityGroup[]>;
  readonly #changes: ChangeMonitor;

  constructor(deps: SecurityGroupsDeps) {
    this.#deps = deps;
    this.#answers = new AnswerCache({ ...deps, lifetime: LIFETIME });
    this.#changes = new ChangeMonitor(deps.clock);
  }

  /** What the status lists: by id. */
  list(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<readonly StatusSecurityGroup[]> {
    return this.#answers.get(generationKey(nodeClass), (call) => this.#describe(nodeClass, call), signal);
  }

  async #describe({ metadata, spec }: EC2NodeClass, signal: AbortSignal): Promise<readonly StatusSecurityGroup[]> {
    const found = new Map<string, StatusSecurityGroup>();
    for (const filters of securityGroupFilterSets(spec?.securityGroupSelectorTerms ?? [])) {
      for await (const { GroupId: id, GroupName: name } of this.#matching(filters, signal)) {
        if (id !== undefined) found.set(id, { id, ...(name && { name }) });
      }
    }
    const groups = [...found.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    const ids = groups.map(({ id }) => id);
    if (this.#changes.hasChanged(`security-groups/${metadata.name}`, ids)) {
      this.#deps.logger.debug('discovered security groups', { 'security-groups': ids });
    }
    return groups;
  }

  async *#matching(filters: readonly Filter[], signal: AbortSignal): AsyncGenerator<SecurityGroup, void, undefined> {
    const input = { Filters: [...filters], MaxResults: PAGE_SIZE };
    try {
      for await (const { SecurityGroups: page = [] } of pages(this.#deps.ec2.describeSecurityGroups, input, signal)) {
        yield* page;
      }
    } catch (cause) {
      throw new Error(`describing security groups ${JSON.stringify(filters)}, ${errorText(cause)}`, { cause });
    }
  }
}

/** One listing for each set: a group is selected if it passes any of them. Ids, and names, are asked for together. */
export function securityGroupFilterSets(
  terms: NonNullable<NodeClassSpec['securityGroupSelectorTerms']>,
): readonly Filter[][] {
  const ids = terms.flatMap(({ id }) => id || []);
  const names = terms.flatMap(({ id, name }) => (id ? [] : name || []));
  const byTags = terms.filter(({ id, name }) => !id && !name).map(({ tags }) => tagFilters(tags));
  return [
    ...byTags,
    ...(ids.length > 0 ? [[{ Name: 'group-id', Values: ids }]] : []),
    ...(names.length > 0 ? [[{ Name: 'group-name', Values: names }]] : []),
  ];
}
