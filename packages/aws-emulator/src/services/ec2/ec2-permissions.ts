import type {
  CreateFleetRequest,
  CreateLaunchTemplateRequest,
  CreateTagsRequest,
  RequestLaunchTemplateData,
  RunInstancesRequest,
  Tag,
  TagSpecification,
  TerminateInstancesRequest,
} from '@aws-sdk/client-ec2';
import type { RequestContext } from '../../policies/conditions.ts';
import type { PermissionRequest } from '../../policies/evaluate.ts';
import { partitionOf } from '../../state/place.ts';
import type { LaunchTemplate } from './launch-templates.ts';
import type { Ec2Region } from './region.ts';

type Requests = readonly PermissionRequest[];
type PermissionsOf<Input> = (region: Ec2Region, input: Input) => Requests;

/**
 * What a caller must be allowed to do for a call of EC2, as its page in AWS' service authorization reference has it. What
 * is named and is not there needs no permission: the call itself says so.
 */
export function ec2Permissions(region: Ec2Region, operation: string, input: never): Requests {
  const of = (OF_OPERATIONS as Readonly<Record<string, PermissionsOf<never>>>)[operation];
  return of === undefined ? [{ action: `ec2:${operation}`, resource: '*', context: {} }] : of(region, input);
}

const OF_OPERATIONS = {
  CreateFleet: (region: Ec2Region, input: CreateFleetRequest) => {
    const launches = (input.LaunchTemplateConfigs ?? []).flatMap((config): Launch[] => {
      const template = findTemplate(region, config.LaunchTemplateSpecification);
      if (template === undefined) return [];
      const subnets = (config.Overrides ?? []).map(({ SubnetId }) => SubnetId);
      const images = (config.Overrides ?? []).map(({ ImageId }) => ImageId);
      const isSpot = input.TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot';
      return [{ template, data: template.data, images, subnets, isSpot, tags: input.TagSpecifications ?? [] }];
    });
    const fleet = created(region, 'fleet', tagsFor('fleet', input.TagSpecifications));
    return unique([
      { action: 'ec2:CreateFleet', ...fleet },
      ...tagging(fleet, 'CreateFleet'),
      ...launches.flatMap((launch) => ofLaunch(region, ['ec2:CreateFleet', 'ec2:RunInstances'], launch)),
    ]);
  },

  RunInstances: (region: Ec2Region, input: RunInstancesRequest) => {
    const template = findTemplate(region, input.LaunchTemplate);
    const data = template?.data ?? {};
    const subnets = [input.SubnetId, ...(input.NetworkInterfaces ?? []).map(({ SubnetId }) => SubnetId)];
    const isSpot = (input.InstanceMarketOptions ?? data.InstanceMarketOptions)?.MarketType === 'spot';
    const launch = { template, data, images: [input.ImageId], subnets, isSpot, tags: input.TagSpecifications ?? [] };
    return unique(ofLaunch(region, ['ec2:RunInstances'], launch));
  },

  CreateLaunchTemplate: (region: Ec2Region, input: CreateLaunchTemplateRequest) => {
    const template = created(region, 'launch-template', tagsFor('launch-template', input.TagSpecifications));
    return [{ action: 'ec2:CreateLaunchTemplate', ...template }, ...tagging(template, 'CreateLaunchTemplate')];
  },

  DeleteLaunchTemplate: (region: Ec2Region, input: NamedTemplate) => {
    const template = findTemplate(region, input);
    return template === undefined
      ? []
      : [{ action: 'ec2:DeleteLaunchTemplate', ...existing(region, 'launch-template', template.id) }];
  },

  TerminateInstances: (region: Ec2Region, { InstanceIds = [] }: TerminateInstancesRequest) =>
    InstanceIds.filter((id) => region.findTagged(id) !== undefined).map((id) => ({
      action: 'ec2:TerminateInstances',
      ...existing(region, 'instance', id),
    })),

  CreateTags: (region: Ec2Region, { Resources = [], Tags = [] }: CreateTagsRequest) =>
    Resources.filter((id) => region.findTagged(id) !== undefined).map((id) => {
      const { resource, context } = existing(region, KINDS[id.slice(0, id.indexOf('-'))] ?? '*', id);
      return { action: 'ec2:CreateTags', resource, context: { ...context, ...requestTags(Tags) } };
    }),
};

/** Resources that CreateTags is called for, by the beginning of their ids. */
const KINDS: Readonly<Record<string, string>> = { i: 'instance', lt: 'launch-template' };

interface Launch {
  readonly template: LaunchTemplate | undefined;
  readonly data: RequestLaunchTemplateData;
  readonly images: readonly (string | undefined)[];
  readonly subnets: readonly (string | undefined)[];
  readonly isSpot: boolean;
  readonly tags: readonly TagSpecification[];
}

/** Launches need the same of everything that they use and create for each of the actions. */
function ofLaunch(region: Ec2Region, actions: readonly string[], launch: Launch): Requests {
  const made = ['instance', 'volume', 'network-interface', ...(launch.isSpot ? ['spot-instances-request'] : [])].map(
    (type) => created(region, type, [...tagsFor(type, launch.data.TagSpecifications), ...tagsFor(type, launch.tags)]),
  );
  const used = usedByLaunch(region, launch);
  return [
    ...actions.flatMap((action) => [...used, ...made].map((target) => ({ action, ...target }))),
    ...made.flatMap((target) => tagging(target, 'RunInstances')),
    ...passing(region, launch.data),
  ];
}

type Target = Omit<PermissionRequest, 'action'>;

function usedByLaunch(region: Ec2Region, { template, data, images, subnets }: Launch): readonly Target[] {
  const { Placement, CapacityReservationSpecification, NetworkInterfaces = [], BlockDeviceMappings = [] } = data;
  const imageIds = given([data.ImageId, ...images]);
  const snapshots = given(BlockDeviceMappings.map(({ Ebs }) => Ebs?.SnapshotId));
  const groups = given([...(data.SecurityGroupIds ?? []), ...NetworkInterfaces.flatMap(({ Groups }) => Groups ?? [])]);
  const reservation = CapacityReservationSpecification?.CapacityReservationTarget?.CapacityReservationId;
  const of = (type: string, ids: readonly string[]): Target[] => ids.map((id) => existing(region, type, id));
  return [
    ...of('launch-template', given([template?.id])),
    ...of('image', imageIds),
    ...of('snapshot', [...snapshots, ...imageIds.map((id) => `snap-of-${id}`)]),
    ...of('subnet', given(subnets)),
    ...of('security-group', groups),
    ...of('capacity-reservation', given([reservation])),
    ...of('placement-group', given([Placement?.GroupId ?? Placement?.GroupName])),
  ];
}

/** Who launches instances with a role hands it on to EC2. */
function passing(region: Ec2Region, { IamInstanceProfile }: RequestLaunchTemplateData): Requests {
  const profile = IamInstanceProfile?.Arn ?? IamInstanceProfile?.Name;
  const resource = profile === undefined ? undefined : region.deps.findRoleArn(region.place.account, profile);
  if (resource === undefined) return [];
  const suffix = partitionOf(region.place.region) === 'aws-cn' ? 'amazonaws.com.cn' : 'amazonaws.com';
  return [{ action: 'iam:PassRole', resource, context: { 'iam:PassedToService': `ec2.${suffix}` } }];
}

interface NamedTemplate {
  readonly LaunchTemplateId?: string | undefined;
  readonly LaunchTemplateName?: string | undefined;
}

function findTemplate(
  { launchTemplates }: Ec2Region,
  { LaunchTemplateId: id, LaunchTemplateName: name }: NamedTemplate = {},
): LaunchTemplate | undefined {
  return id === undefined ? [...launchTemplates.values()].find((one) => one.name === name) : launchTemplates.get(id);
}

/** AWS' own images and their snapshots belong to no account of the caller. */
const WITHOUT_ACCOUNT: ReadonlySet<string> = new Set(['image', 'snapshot']);

function arnOf({ place }: Ec2Region, type: string, id: string): string {
  const account = WITHOUT_ACCOUNT.has(type) ? '' : place.account;
  return `arn:${partitionOf(place.region)}:ec2:${place.region}:${account}:${type}/${id}`;
}

function existing(region: Ec2Region, type: string, id: string): Target {
  const tags = region.findTagged(id)?.tags ?? new Map<string, string>();
  const context = Object.fromEntries([...tags].map(([key, value]) => [`aws:ResourceTag/${key}`, value]));
  return { resource: arnOf(region, type, id), context };
}

/** What has no id yet is asked for by the whole of its kind. */
function created(region: Ec2Region, type: string, tags: readonly Tag[]): Target {
  return { resource: arnOf(region, type, '*'), context: requestTags(tags) };
}

/** Tags that something is created with need a permission of their own. */
function tagging({ resource, context }: Target, createAction: string): Requests {
  if (Object.keys(context).length === 0) return [];
  return [{ action: 'ec2:CreateTags', resource, context: { ...context, 'ec2:CreateAction': createAction } }];
}

function requestTags(tags: readonly Tag[]): RequestContext {
  if (tags.length === 0) return {};
  const keys = [...new Set(tags.map(({ Key = '' }) => Key))];
  const values = tags.map(({ Key = '', Value = '' }) => [`aws:RequestTag/${Key}`, Value] as const);
  return { ...Object.fromEntries(values), 'aws:TagKeys': keys };
}

function tagsFor(type: string, specifications: readonly TagSpecification[] | undefined): readonly Tag[] {
  return (specifications ?? []).flatMap(({ ResourceType, Tags }) => (ResourceType === type ? (Tags ?? []) : []));
}

function given(values: readonly (string | undefined)[]): readonly string[] {
  return [...new Set(values.filter((value) => value !== undefined))];
}

/** Many overrides name the same subnets and images. */
function unique(requests: Requests): Requests {
  const seen = new Set<string>();
  return requests.filter((request) => {
    const key = JSON.stringify(request);
    return !seen.has(key) && seen.add(key);
  });
}
