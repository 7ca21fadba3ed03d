import assert from 'node:assert/strict';
import {
  DescribeAvailabilityZonesCommand,
  DescribeInstanceTypesCommand,
  paginateDescribeInstanceTypeOfferings,
  paginateDescribeInstanceTypes,
  paginateDescribeSpotPriceHistory,
} from '@aws-sdk/client-ec2';
import type { ContractCase } from '../contract-case.ts';
import { codeOf } from './ec2-set-up.ts';

const FILTERS = [
  { Name: 'supported-virtualization-type', Values: ['hvm'] },
  { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
];

export const EC2_CATALOGUE_CASES: readonly ContractCase[] = [
  {
    name: 'instance types come in pages that end, each type once, as the filters want them',
    services: ['ec2'],
    run: async ({ ec2: client }) => {
      const names = new Set<string>();
      let count = 0;
      for await (const page of paginateDescribeInstanceTypes({ client, pageSize: 100 }, { Filters: FILTERS })) {
        for (const { InstanceType, ProcessorInfo, VCpuInfo, MemoryInfo } of page.InstanceTypes ?? []) {
          assert.ok(ProcessorInfo!.SupportedArchitectures!.some((one) => one === 'x86_64' || one === 'arm64'));
          assert.ok(VCpuInfo!.DefaultVCpus! > 0 && MemoryInfo!.SizeInMiB! > 0);
          names.add(InstanceType!);
          count++;
        }
      }
      assert.ok(count > 500, `${count} types`);
      assert.equal(names.size, count);
      assert.ok(names.has('m5.large') && names.has('m6g.large') && !names.has('mac2.metal'));
    },
  },
  {
    name: 'instance types are described with what the provider makes labels and resources of',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const { InstanceTypes = [] } = await ec2.send(
        new DescribeInstanceTypesCommand({ InstanceTypes: ['g4dn.8xlarge', 'm5.large'] }),
      );
      const gpu = InstanceTypes.find(({ InstanceType }) => InstanceType === 'g4dn.8xlarge')!;
      assert.equal(InstanceTypes.length, 2);
      assert.deepEqual([gpu.VCpuInfo?.DefaultVCpus, gpu.MemoryInfo?.SizeInMiB], [32, 131_072]);
      assert.deepEqual(
        [gpu.GpuInfo?.Gpus?.[0]?.Name, gpu.GpuInfo?.Gpus?.[0]?.Manufacturer, gpu.GpuInfo?.Gpus?.[0]?.Count],
        ['T4', 'NVIDIA', 1],
      );
      assert.deepEqual([gpu.Hypervisor, gpu.BareMetal], ['nitro', false]);
      assert.deepEqual(gpu.SupportedUsageClasses?.toSorted(), ['on-demand', 'spot']);
      const { MaximumNetworkInterfaces, Ipv4AddressesPerInterface, NetworkCards } = gpu.NetworkInfo!;
      assert.deepEqual([MaximumNetworkInterfaces, Ipv4AddressesPerInterface, NetworkCards!.length], [4, 15, 1]);
      assert.equal(gpu.InstanceStorageInfo?.TotalSizeInGB, 900);
    },
  },
  {
    name: 'an instance type that is not there is refused',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const unknown = new DescribeInstanceTypesCommand({ InstanceTypes: ['m5.giant' as 'm5.large'] });
      assert.equal(await codeOf(ec2.send(unknown)), 'InvalidInstanceType');
    },
  },
  {
    name: 'a dry run that is permitted is refused with DryRunOperation',
    services: ['ec2'],
    notOn: { moto: 'describes instance types in a dry run, too' },
    run: async ({ ec2 }) => {
      assert.equal(await codeOf(ec2.send(new DescribeInstanceTypesCommand({ DryRun: true }))), 'DryRunOperation');
    },
  },
  {
    name: 'pages of instance types that are too large or too small are refused',
    services: ['ec2'],
    notOn: { moto: 'takes any MaxResults' },
    run: async ({ ec2 }) => {
      for (const MaxResults of [4, 101]) {
        const code = await codeOf(ec2.send(new DescribeInstanceTypesCommand({ MaxResults })));
        assert.equal(code, 'InvalidParameterValue', `${MaxResults}`);
      }
    },
  },
  {
    name: 'each type is offered in the zones of the region',
    services: ['ec2'],
    run: async ({ ec2: client }) => {
      const zones = new Map<string, Set<string>>();
      const input = { LocationType: 'availability-zone' as const };
      for await (const page of paginateDescribeInstanceTypeOfferings({ client, pageSize: 1000 }, input)) {
        for (const { InstanceType, Location, LocationType } of page.InstanceTypeOfferings ?? []) {
          assert.equal(LocationType, 'availability-zone');
          assert.match(Location!, /^us-east-1[a-f]$/);
          zones.set(InstanceType!, (zones.get(InstanceType!) ?? new Set()).add(Location!));
        }
      }
      assert.ok(zones.size > 500);
      assert.ok(zones.get('m5.large')!.has('us-east-1a'));
    },
  },
  {
    name: 'spot prices are positive numbers as text, by type and zone, with the time of their change',
    services: ['ec2'],
    run: async ({ ec2: client }) => {
      const input = {
        StartTime: new Date(),
        ProductDescriptions: ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)'],
        InstanceTypes: ['m5.large' as const, 'c5.large' as const],
      };
      const pools = new Set<string>();
      for await (const { SpotPriceHistory = [] } of paginateDescribeSpotPriceHistory({ client }, input)) {
        for (const { InstanceType, AvailabilityZone, SpotPrice, Timestamp } of SpotPriceHistory) {
          assert.ok(Number(SpotPrice) > 0, SpotPrice);
          assert.ok(Timestamp instanceof Date);
          pools.add(`${InstanceType}/${AvailabilityZone}`);
        }
      }
      assert.ok(pools.has('m5.large/us-east-1a') && pools.has('c5.large/us-east-1b'));
    },
  },
  {
    name: 'zones are told of with their ids',
    services: ['ec2'],
    run: async ({ ec2 }) => {
      const { AvailabilityZones = [] } = await ec2.send(new DescribeAvailabilityZonesCommand({}));
      const ids = new Map(AvailabilityZones.map(({ ZoneName, ZoneId }) => [ZoneName, ZoneId]));
      assert.equal(ids.size, 6);
      assert.match(ids.get('us-east-1a')!, /^use1-az\d$/);
    },
  },
];
