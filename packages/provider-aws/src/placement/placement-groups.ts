import type { DescribePlacementGroupsCommandInput, PlacementGroup as Ec2PlacementGroup } from '@aws-sdk/client-ec2';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ExpiringMap, HOUR, MINUTE, type SteadyClock } from '@karpenter-ts/runtime';
import { AnswerCache } from '../api/answer-cache.ts';
import type { Ec2Api } from '../api/aws-apis.ts';
import { isPlacementGroupNotFound } from '../api/aws-error.ts';
import { withContext } from '../api/with-context.ts';
import type { NodeClassSpec } from '../node-class/node-class-parts.ts';
import type { PlacementGroup, PlacementGroupSource } from './placement-group.ts';

const FRESH = 1 * MINUTE;

/** How long a group is remembered for an EC2 that does not answer. */
const REMEMBERED = 24 * HOUR;

export interface PlacementGroupDeps {
  readonly ec2: Pick<Ec2Api, 'describePlacementGroups'>;
  readonly clock: SteadyClock;
  readonly stopping: AbortSignal;
}

/** What is known of the group that a NodeClass selects. */
export interface PlacementGroupAnswer {
  /** Undefined without a selector, or if EC2 knows no such group. With an error, the group of before. */
  readonly group: PlacementGroup | undefined;
  /** Why EC2 could not be asked. */
  readonly error?: Error | undefined;
}

type Selector = NonNullable<NodeClassSpec['placementGroupSelector']>;

/**
 * The placement groups of EC2, each asked for at most once a minute (spec 07 §24). A group that EC2 no longer knows is
 * forgotten at once; upstream takes it from its memory a moment later.
 */
export class PlacementGroups implements PlacementGroupSource {
  readonly #deps: PlacementGroupDeps;
  readonly #fresh: AnswerCache<PlacementGroup | undefined>;
  readonly #remembered: ExpiringMap<string, PlacementGroup>;

  constructor(deps: PlacementGroupDeps) {
    this.#deps = deps;
    this.#fresh = new AnswerCache({ clock: deps.clock, lifetime: FRESH, stopping: deps.stopping });
    this.#remembered = new ExpiringMap(deps.clock, REMEMBERED);
  }

  async resolve(nodeClass: EC2NodeClass, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    const { group, error } = await this.find(nodeClass, signal);
    if (error !== undefined && group === undefined) throw error;
    return group;
  }

  /** Like `resolve`, but tells of a failure also where the group of before is known. */
  async find({ spec }: EC2NodeClass, signal: AbortSignal): Promise<PlacementGroupAnswer> {
    const selector = spec?.placementGroupSelector;
    if (selector === undefined) return { group: undefined };
    const key = keyOf(selector);
    try {
      return { group: await this.#fresh.get(key, (stop) => this.#ask(selector, stop), signal) };
    } catch (cause) {
      signal.throwIfAborted();
      return { group: this.#remembered.get(key), error: withContext('describing placement groups', cause) };
    }
  }

  async #ask(selector: Selector, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    const key = keyOf(selector);
    const group = await this.#describe(selector, signal);
    if (group === undefined) this.#remembered.delete(key);
    else this.#remembered.set(key, group);
    return group;
  }

  async #describe(selector: Selector, signal: AbortSignal): Promise<PlacementGroup | undefined> {
    try {
      const { PlacementGroups: [first] = [] } = await this.#deps.ec2.describePlacementGroups(inputOf(selector), signal);
      return first && groupOf(first);
    } catch (error) {
      // EC2 answers an unknown name or id with an error, not with an empty list.
      if (isPlacementGroupNotFound(error)) return undefined;
      throw error;
    }
  }
}

function keyOf({ id, name }: Selector): string {
  return id ? `id ${id}` : `name ${name}`;
}

/** Of groups that are not available yet, or no longer, EC2 does not tell. */
function inputOf({ id, name }: Selector): DescribePlacementGroupsCommandInput {
  const Filters = [{ Name: 'state', Values: ['available'] }];
  return id ? { Filters, GroupIds: [id] } : { Filters, GroupNames: [name ?? ''] };
}

function groupOf({ GroupId, GroupName, Strategy, PartitionCount }: Ec2PlacementGroup): PlacementGroup {
  return {
    id: GroupId ?? '',
    name: GroupName ?? '',
    strategy: Strategy as PlacementGroup['strategy'], // one that EC2 invents is supported by no instance type
    ...(PartitionCount !== undefined && { partitionCount: PartitionCount }),
  };
}
