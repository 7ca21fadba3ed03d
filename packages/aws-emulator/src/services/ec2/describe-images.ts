import type { DescribeImagesRequest, DescribeImagesResult, Image as SdkImage } from '@aws-sdk/client-ec2';
import { partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Attributes } from './filters.ts';
import type { Image } from './images.ts';
import { listPage } from './listing.ts';
import type { Ec2Region } from './region.ts';
import { tagSet } from './tags.ts';

const IMAGES: Attributes<Image> = {
  architecture: ({ architecture }) => architecture,
  'creation-date': ({ createdAt }) => new Date(createdAt).toISOString(),
  description: ({ description }) => description,
  hypervisor: () => 'xen',
  'image-id': ({ id }) => id,
  'image-type': () => 'machine',
  'is-public': ({ isPublic }) => isPublic,
  name: ({ name }) => name,
  'owner-alias': ({ ownerAlias }) => ownerAlias,
  'owner-id': ({ ownerId }) => ownerId,
  platform: ({ platform }) => (platform === 'windows' ? platform : undefined),
  'root-device-name': ({ rootDevice }) => rootDevice.name,
  'root-device-type': () => 'ebs',
  state: ({ state }) => state,
  'virtualization-type': () => 'hvm',
};

/** Those that the account may use: its own and public ones. Deprecated ones only to their owner, or if asked for. */
export function describeImages({ images, place, deps }: Ec2Region, input: DescribeImagesRequest): DescribeImagesResult {
  const { ImageIds = [], Owners = [], IncludeDeprecated = false } = input;
  const now = deps.clock.now();
  const isUsable = (image: Image): boolean =>
    image.state !== 'deregistered' && (image.isPublic || image.ownerId === place.account);
  for (const id of ImageIds) {
    if (!id.startsWith('ami-'))
      throw new ApiError('InvalidAMIID.Malformed', `Invalid id: "${id}" (expecting "ami-...")`);
  }
  const unknown = ImageIds.filter((id) => !images.has(id) || !isUsable(images.get(id)!));
  if (unknown.length > 0) {
    throw new ApiError('InvalidAMIID.NotFound', `The image id '[${unknown.join(', ')}]' does not exist`);
  }
  const found = [...images.values()].filter(
    (image) =>
      isUsable(image) &&
      (ImageIds.length === 0 || ImageIds.includes(image.id)) &&
      (Owners.length === 0 || Owners.some((owner) => isOwnedBy(image, owner, place.account))) &&
      (IncludeDeprecated || image.ownerId === place.account || (image.deprecatedAt ?? Infinity) > now),
  );
  const listing = {
    attributes: IMAGES,
    tagsOf: ({ tags }: Image) => tags,
    orderOf: ({ serial }: Image) => serial,
    pageSize: { least: 1, most: 1000 },
  };
  const { items, ...next } = listPage(listing, found, input);
  return { Images: items.map((image) => described(image, place.region)), ...next };
}

function isOwnedBy({ ownerId, ownerAlias }: Image, owner: string, account: string): boolean {
  return owner === 'self' ? ownerId === account : owner === ownerId || owner === ownerAlias;
}

function described(image: Image, region: string): SdkImage {
  const { platform, rootDevice, deprecatedAt } = image;
  return {
    ImageId: image.id,
    ImageLocation: `${image.ownerAlias ?? image.ownerId}/${image.name}`,
    ImageType: 'machine',
    Name: image.name,
    Description: image.description,
    Architecture: image.architecture,
    OwnerId: image.ownerId,
    ImageOwnerAlias: image.ownerAlias,
    Public: image.isPublic,
    State: image.state,
    CreationDate: new Date(image.createdAt).toISOString(),
    DeprecationTime: deprecatedAt === undefined ? undefined : new Date(deprecatedAt).toISOString(),
    Platform: platform === 'windows' ? ('windows' as 'Windows') : undefined, // as EC2 writes it
    PlatformDetails: platform === 'windows' ? 'Windows' : 'Linux/UNIX',
    RootDeviceName: rootDevice.name,
    RootDeviceType: 'ebs',
    VirtualizationType: 'hvm',
    Hypervisor: 'xen',
    EnaSupport: true,
    BlockDeviceMappings: [
      {
        DeviceName: rootDevice.name,
        Ebs: { DeleteOnTermination: true, VolumeSize: rootDevice.sizeGib, VolumeType: 'gp3', Encrypted: false },
      },
    ],
    SourceImageRegion: partitionOf(region) === 'aws' ? region : undefined,
    Tags: tagSet(image.tags),
  };
}
