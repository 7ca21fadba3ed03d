import type {
  CreateLaunchTemplateRequest,
  CreateLaunchTemplateResult,
  DeleteLaunchTemplateRequest,
  DeleteLaunchTemplateResult,
  DescribeLaunchTemplatesRequest,
  DescribeLaunchTemplatesResult,
  DescribeLaunchTemplateVersionsRequest,
  DescribeLaunchTemplateVersionsResult,
  LaunchTemplate as SdkLaunchTemplate,
  RequestLaunchTemplateData,
} from '@aws-sdk/client-ec2';
import { partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Attributes } from './filters.ts';
import type { LaunchTemplate } from './launch-templates.ts';
import { listPage, refusePagingThroughIds } from './listing.ts';
import { invalidValue, refuseDryRun } from './refusals.ts';
import type { Ec2Region } from './region.ts';
import { specifiedTags, tagSet } from './tags.ts';

const NAME = /^[a-zA-Z0-9().\-/_]{3,128}$/;
/** Of the text that the base64 stands for. */
const LARGEST_USER_DATA = 16_384;
const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

export function createLaunchTemplate(
  region: Ec2Region,
  input: CreateLaunchTemplateRequest,
): CreateLaunchTemplateResult {
  const { LaunchTemplateName: name = '', LaunchTemplateData: data = {} } = input;
  if (!NAME.test(name)) {
    throw new ApiError(
      'InvalidLaunchTemplateName.MalformedException',
      `The launch template name '${name}' is malformed`,
    );
  }
  checkData(data);
  const tags = specifiedTags(input.TagSpecifications, 'launch-template');
  refuseDryRun(input);
  return region.idempotency.once('CreateLaunchTemplate', input, () => {
    if (findByName(region, name) !== undefined) {
      throw new ApiError('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    }
    const template: LaunchTemplate = {
      id: region.newId('lt'),
      serial: region.nextSerial(),
      name,
      createdAt: region.now(),
      createdBy: `arn:${partitionOf(region.place.region)}:iam::${region.place.account}:root`,
      description: input.VersionDescription,
      data,
      tags,
    };
    region.launchTemplates.set(template.id, template);
    return { LaunchTemplate: described(template) };
  });
}

function checkData({ UserData = '', MetadataOptions, TagSpecifications }: RequestLaunchTemplateData): void {
  if (!BASE64.test(UserData)) throw new ApiError('InvalidUserData.Malformed', 'Invalid BASE64 encoding of user data.');
  if (Buffer.from(UserData, 'base64').length > LARGEST_USER_DATA) {
    throw new ApiError('InvalidUserData.Malformed', `User data is limited to ${LARGEST_USER_DATA} bytes`);
  }
  const hops = MetadataOptions?.HttpPutResponseHopLimit ?? 1;
  if (hops < 1 || hops > 64) throw invalidValue(`Value (${hops}) for HttpPutResponseHopLimit is not between 1 and 64`);
  for (const { ResourceType = '' } of TagSpecifications ?? []) {
    if (!TAGGED_AT_LAUNCH.has(ResourceType))
      throw invalidValue(`'${ResourceType}' is not a valid taggable resource type.`);
  }
}

const TAGGED_AT_LAUNCH = new Set(['instance', 'volume', 'network-interface', 'spot-instances-request']);

/** What is in use goes on without it: an instance keeps what it was launched with. */
export function deleteLaunchTemplate(
  region: Ec2Region,
  input: DeleteLaunchTemplateRequest,
): DeleteLaunchTemplateResult {
  const template = getLaunchTemplate(region, input);
  refuseDryRun(input);
  region.launchTemplates.delete(template.id);
  return { LaunchTemplate: described(template) };
}

/** By id or by name, as calls name it. Throws an ApiError for one that there is not. */
export function getLaunchTemplate(
  region: Ec2Region,
  {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
  }: { readonly LaunchTemplateId?: string | undefined; readonly LaunchTemplateName?: string | undefined },
): LaunchTemplate {
  if ((id === undefined) === (name === undefined)) {
    throw new ApiError('MissingParameter', 'Either a launch template ID or a launch template name is needed.');
  }
  const template = id === undefined ? findByName(region, name!) : region.launchTemplates.get(id);
  if (template !== undefined) return template;
  throw id === undefined ? missingName(name!) : missingId(id);
}

function findByName({ launchTemplates }: Ec2Region, name: string): LaunchTemplate | undefined {
  for (const template of launchTemplates.values()) if (template.name === name) return template;
  return undefined;
}

function missingName(name: string): ApiError {
  return new ApiError(
    'InvalidLaunchTemplateName.NotFoundException',
    `The specified launch template, with template name ${name}, does not exist.`,
  );
}

function missingId(id: string): ApiError {
  return new ApiError(
    'InvalidLaunchTemplateId.NotFound',
    `The specified launch template, with template ID ${id}, does not exist.`,
  );
}

const LAUNCH_TEMPLATES: Attributes<LaunchTemplate> = {
  'create-time': ({ createdAt }) => new Date(createdAt).toISOString(),
  'launch-template-name': ({ name }) => name,
};

export function describeLaunchTemplates(
  region: Ec2Region,
  input: DescribeLaunchTemplatesRequest,
): DescribeLaunchTemplatesResult {
  const { LaunchTemplateIds: ids = [], LaunchTemplateNames: names = [] } = input;
  refusePagingThroughIds([...ids, ...names], input, 'launchTemplateIds');
  const asked = [
    ...ids.map((LaunchTemplateId) => getLaunchTemplate(region, { LaunchTemplateId })),
    ...names.map((LaunchTemplateName) => getLaunchTemplate(region, { LaunchTemplateName })),
  ];
  const listing = {
    attributes: LAUNCH_TEMPLATES,
    tagsOf: ({ tags }: LaunchTemplate) => tags,
    orderOf: ({ serial }: LaunchTemplate) => serial,
    pageSize: { least: 1, most: 200 },
  };
  const found = ids.length + names.length > 0 ? new Set(asked) : region.launchTemplates.values();
  const { items, ...next } = listPage(listing, found, input);
  return { LaunchTemplates: items.map(described), ...next };
}

export function describeLaunchTemplateVersions(
  region: Ec2Region,
  input: DescribeLaunchTemplateVersionsRequest,
): DescribeLaunchTemplateVersionsResult {
  const template = getLaunchTemplate(region, input);
  for (const version of input.Versions ?? []) checkVersion(template, version);
  return {
    LaunchTemplateVersions: [
      {
        LaunchTemplateId: template.id,
        LaunchTemplateName: template.name,
        VersionNumber: 1,
        VersionDescription: template.description,
        CreateTime: new Date(template.createdAt),
        CreatedBy: template.createdBy,
        DefaultVersion: true,
        LaunchTemplateData: template.data,
      },
    ],
  };
}

/** There is one version. Throws an ApiError for another. */
export function checkVersion({ id }: LaunchTemplate, version: string | undefined): void {
  if (version === undefined || ['1', '$Latest', '$Default'].includes(version)) return;
  throw new ApiError(
    'InvalidLaunchTemplateId.VersionNotFound',
    `Could not find the specified version ${version} for the launch template with ID ${id}.`,
  );
}

function described({ id, name, createdAt, createdBy, tags }: LaunchTemplate): SdkLaunchTemplate {
  return {
    LaunchTemplateId: id,
    LaunchTemplateName: name,
    CreateTime: new Date(createdAt),
    CreatedBy: createdBy,
    DefaultVersionNumber: 1,
    LatestVersionNumber: 1,
    Tags: tagSet(tags),
  };
}
