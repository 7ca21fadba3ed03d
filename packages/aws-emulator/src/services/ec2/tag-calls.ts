import type {
  CreateTagsRequest,
  DeleteTagsRequest,
  DescribeTagsRequest,
  DescribeTagsResult,
  TagDescription,
} from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import { listPage } from './listing.ts';
import { refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { addTags, removeTags, type Tags } from './tags.ts';

/** All resources or none. */
export function createTags(region: Ec2Region, input: CreateTagsRequest): object {
  const tagged = (input.Resources ?? []).map((id) => tagsOf(region, id));
  refuseDryRun(input);
  for (const tags of tagged) addTags(new Map(tags), input.Tags ?? []);
  for (const tags of tagged) addTags(tags, input.Tags ?? []);
  return {};
}

export function deleteTags(region: Ec2Region, input: DeleteTagsRequest): object {
  const tagged = (input.Resources ?? []).map((id) => tagsOf(region, id));
  refuseDryRun(input);
  for (const tags of tagged) removeTags(tags, input.Tags);
  return {};
}

const KINDS: Readonly<Record<string, readonly [resourceType: string, notFound: string, noun: string]>> = {
  ami: ['image', 'InvalidAMIID.NotFound', 'image ID'],
  cr: ['capacity-reservation', 'InvalidCapacityReservationId.NotFound', 'capacity reservation ID'],
  i: ['instance', 'InvalidInstanceID.NotFound', 'instance ID'],
  lt: ['launch-template', 'InvalidLaunchTemplateId.NotFound', 'launch template ID'],
  pg: ['placement-group', 'InvalidPlacementGroup.Unknown', 'placement group ID'],
  sg: ['security-group', 'InvalidGroup.NotFound', 'security group'],
  subnet: ['subnet', 'InvalidSubnetID.NotFound', 'subnet ID'],
  vpc: ['vpc', 'InvalidVpcID.NotFound', 'vpc ID'],
};

function tagsOf(region: Ec2Region, id: string): Tags {
  const kind = KINDS[prefixOf(id)];
  if (kind === undefined) throw new ApiError('InvalidID', `The ID '${id}' is not valid`);
  const found = region.findTagged(id);
  if (found !== undefined) return found.tags;
  throw new ApiError(kind[1], `The ${kind[2]} '${id}' does not exist`);
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}

interface Tagging extends TagDescription {
  readonly order: number;
}

export function describeTags(region: Ec2Region, input: DescribeTagsRequest): DescribeTagsResult {
  const taggings: Tagging[] = [];
  for (const { id, tags } of region.allTagged()) {
    const ResourceType = KINDS[prefixOf(id)]![0] as NonNullable<TagDescription['ResourceType']>;
    for (const [Key, Value] of tags) {
      taggings.push({ ResourceId: id, ResourceType, Key, Value, order: taggings.length });
    }
  }
  const listing = {
    attributes: {
      key: ({ Key }: Tagging) => Key,
      'resource-id': ({ ResourceId }: Tagging) => ResourceId,
      'resource-type': ({ ResourceType }: Tagging) => ResourceType,
      value: ({ Value }: Tagging) => Value,
    },
    orderOf: ({ order }: Tagging) => order,
    pageSize: { least: 5, most: 1000 },
  };
  const { items, ...next } = listPage(listing, taggings, input);
  return { Tags: [...items], ...next };
}
