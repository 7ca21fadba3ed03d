import type {
  DescribeAvailabilityZonesRequest,
  DescribeAvailabilityZonesResult,
  DescribeInstanceTypeOfferingsRequest,
  DescribeInstanceTypeOfferingsResult,
  DescribeInstanceTypesRequest,
  DescribeInstanceTypesResult,
  DescribeSpotPriceHistoryRequest,
  DescribeSpotPriceHistoryResult,
  InstanceTypeInfo,
} from '@aws-sdk/client-ec2';
import { ApiError } from '../../wire/api-error.ts';
import type { Offering, Zone } from './catalogue.ts';
import { type Attributes, filterOf } from './filters.ts';
import { listPage, readToken, refusePagingThroughIds, writeToken } from './listing.ts';
import { invalidValue } from './refusals.ts';
import type { Ec2Region } from './region.ts';

const ZONES: Attributes<Zone & { readonly region: string }> = {
  'zone-name': ({ name }) => name,
  'zone-id': ({ id }) => id,
  'region-name': ({ region }) => region,
  'zone-type': () => 'availability-zone',
  'opt-in-status': () => 'opt-in-not-required',
  state: () => 'available',
};

export function describeAvailabilityZones(
  { catalogue, place }: Ec2Region,
  { ZoneNames, ZoneIds, Filters }: DescribeAvailabilityZonesRequest,
): DescribeAvailabilityZonesResult {
  for (const name of ZoneNames ?? []) {
    if (!catalogue.zones.some((zone) => zone.name === name)) throw invalidValue(`Invalid availability zone: [${name}]`);
  }
  const passes = filterOf(Filters, ZONES);
  const zones = catalogue.zones
    .filter(({ name, id }) => (ZoneNames?.includes(name) ?? true) && (ZoneIds?.includes(id) ?? true))
    .filter((zone) => passes({ ...zone, region: place.region }));
  return {
    AvailabilityZones: zones.map(({ name, id }) => ({
      ZoneName: name,
      ZoneId: id,
      RegionName: place.region,
      GroupName: `${place.region}-zg-1`,
      NetworkBorderGroup: place.region,
      ZoneType: 'availability-zone',
      OptInStatus: 'opt-in-not-required',
      State: 'available',
    })),
  };
}

const TYPES: Attributes<InstanceTypeInfo> = {
  'bare-metal': (type) => type.BareMetal,
  'burstable-performance-supported': (type) => type.BurstablePerformanceSupported,
  'current-generation': (type) => type.CurrentGeneration,
  'ebs-info.ebs-optimized-support': (type) => type.EbsInfo?.EbsOptimizedSupport,
  'ebs-info.encryption-support': (type) => type.EbsInfo?.EncryptionSupport,
  'ebs-info.nvme-support': (type) => type.EbsInfo?.NvmeSupport,
  hypervisor: (type) => type.Hypervisor,
  'instance-storage-info.nvme-support': (type) => type.InstanceStorageInfo?.NvmeSupport,
  'instance-storage-info.total-size-in-gb': (type) => type.InstanceStorageInfo?.TotalSizeInGB,
  'instance-storage-supported': (type) => type.InstanceStorageSupported,
  'instance-type': (type) => type.InstanceType,
  'memory-info.size-in-mib': (type) => type.MemoryInfo?.SizeInMiB,
  'network-info.efa-supported': (type) => type.NetworkInfo?.EfaSupported,
  'network-info.ena-support': (type) => type.NetworkInfo?.EnaSupport,
  'network-info.encryption-in-transit-supported': (type) => type.NetworkInfo?.EncryptionInTransitSupported,
  'network-info.ipv6-supported': (type) => type.NetworkInfo?.Ipv6Supported,
  'network-info.maximum-network-interfaces': (type) => type.NetworkInfo?.MaximumNetworkInterfaces,
  'processor-info.supported-architecture': (type) => type.ProcessorInfo?.SupportedArchitectures,
  'processor-info.supported-features': (type) => type.ProcessorInfo?.SupportedFeatures,
  'supported-boot-mode': (type) => type.SupportedBootModes,
  'supported-usage-class': (type) => type.SupportedUsageClasses,
  'supported-virtualization-type': (type) => type.SupportedVirtualizationTypes,
  'vcpu-info.default-cores': (type) => type.VCpuInfo?.DefaultCores,
  'vcpu-info.default-vcpus': (type) => type.VCpuInfo?.DefaultVCpus,
};

/** As many as an answer holds when MaxResults is not given. */
const TYPES_AT_MOST = 100;

export function describeInstanceTypes(
  { catalogue }: Ec2Region,
  input: DescribeInstanceTypesRequest,
): DescribeInstanceTypesResult {
  const { InstanceTypes: names = [] } = input;
  refusePagingThroughIds(names, input, 'instanceTypes');
  const unknown = names.filter((name) => catalogue.find(name) === undefined);
  if (unknown.length > 0) {
    throw new ApiError(
      'InvalidInstanceType',
      `The following supplied instance types do not exist: [${unknown.join(', ')}]`,
    );
  }
  const types = names.length > 0 ? [...new Set(names)].map((name) => catalogue.find(name)!) : catalogue.types;
  const listing = {
    attributes: TYPES,
    orderOf: ({ InstanceType }: InstanceTypeInfo) => catalogue.orderOf(InstanceType!),
    pageSize: { least: 5, most: 100 },
  };
  const size = names.length > 0 ? {} : { MaxResults: input.MaxResults ?? TYPES_AT_MOST };
  const { items, ...next } = listPage(listing, types, { ...input, ...size });
  return { InstanceTypes: [...items], ...next };
}

export function describeInstanceTypeOfferings(
  { catalogue, place }: Ec2Region,
  input: DescribeInstanceTypeOfferingsRequest,
): DescribeInstanceTypeOfferingsResult {
  const LocationType = input.LocationType ?? 'region';
  const locationOf = ({ zone }: Offering): string => {
    if (LocationType === 'availability-zone') return zone;
    return LocationType === 'region' ? place.region : catalogue.zoneIdOf(zone);
  };
  const listing = {
    attributes: { 'instance-type': (one: Offering) => one.instanceType, location: locationOf },
    orderOf: ({ order }: Offering) => order,
    pageSize: { least: 5, most: 1000 },
  };
  const isFirst = ({ order, instanceType }: Offering): boolean =>
    catalogue.offerings[order - 1]?.instanceType !== instanceType;
  const offerings = LocationType === 'region' ? catalogue.offerings.filter(isFirst) : catalogue.offerings;
  const { items, ...next } = listPage(listing, offerings, { ...input, MaxResults: input.MaxResults ?? 1000 });
  return {
    InstanceTypeOfferings: items.map((one) => ({
      InstanceType: one.instanceType as NonNullable<InstanceTypeInfo['InstanceType']>,
      LocationType,
      Location: locationOf(one),
    })),
    ...next,
  };
}

const SPOT_PRICES: Attributes<Offering> = {
  'availability-zone': ({ zone }) => zone,
  'instance-type': ({ instanceType }) => instanceType,
  'product-description': () => PRODUCTS,
};
const PRODUCTS = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'];
const SPOT_PRICES_AT_MOST = 1000;
const OLDEST_PRICE = 90 * 24 * 3600 * 1000;

/** Pool by pool, the newest price first; EC2 orders by time. A page ends with a pool. */
export function describeSpotPriceHistory(
  { catalogue, market, deps }: Ec2Region,
  input: DescribeSpotPriceHistoryRequest,
): DescribeSpotPriceHistoryResult {
  const now = deps.clock.now();
  const from = Math.max(input.StartTime?.getTime() ?? 0, now - OLDEST_PRICE);
  const to = Math.min(input.EndTime?.getTime() ?? now, now);
  const { InstanceTypes, AvailabilityZone, ProductDescriptions } = input;
  const passes = filterOf(input.Filters, SPOT_PRICES);
  const hasProduct = !ProductDescriptions?.length || ProductDescriptions.some((one) => PRODUCTS.includes(one));
  const pools = catalogue.offerings.filter(
    (one) =>
      hasProduct &&
      (!InstanceTypes?.length || (InstanceTypes as string[]).includes(one.instanceType)) &&
      (AvailabilityZone === undefined || AvailabilityZone === one.zone) &&
      passes(one),
  );
  const after = readToken(input.NextToken);
  const size = Math.min(input.MaxResults ?? SPOT_PRICES_AT_MOST, SPOT_PRICES_AT_MOST);
  const prices: DescribeSpotPriceHistoryResult['SpotPriceHistory'] = [];
  for (const pool of pools) {
    if (pool.order <= after) continue;
    prices.push(...market.history(pool, { from, to }));
    if (prices.length >= size) return { SpotPriceHistory: prices, NextToken: writeToken(pool.order) };
  }
  return { SpotPriceHistory: prices, NextToken: '' };
}
