// Condenses what EC2 says about its instance types in us-east-1 into the table of the KWOK provider's `ec2` catalogue:
//   node tools/ec2-catalogue.ts DIRECTORY > packages/provider-kwok/src/catalogue/ec2-us-east-1.tsv
// DIRECTORY holds instance-types.json (DescribeInstanceTypes, by type), offerings.json (DescribeInstanceTypeOfferings,
// by region and type) and on-demand-prices.json (the public price list: Linux, shared tenancy, USD an hour).
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface DescribedType {
  readonly VCpuInfo: { readonly DefaultVCpus: number };
  readonly MemoryInfo: { readonly SizeInMiB: number };
  readonly ProcessorInfo: { readonly SupportedArchitectures: readonly string[] };
  readonly NetworkInfo: {
    readonly Ipv4AddressesPerInterface: number;
    readonly DefaultNetworkCardIndex: number;
    readonly NetworkCards: readonly { readonly MaximumNetworkInterfaces: number }[];
  };
  readonly SupportedUsageClasses: readonly string[];
  readonly GpuInfo?: { readonly Gpus: readonly { readonly Count: number; readonly Manufacturer: string }[] };
  readonly NeuronInfo?: { readonly NeuronDevices: readonly { readonly Count: number }[] };
}

const REGION = 'us-east-1';
const directory = process.argv[2] ?? '.';
const types = read<Record<string, DescribedType>>('instance-types.json');
const zones = read<Record<string, Record<string, readonly string[]>>>('offerings.json')[REGION]!;
const prices = read<Record<string, Record<string, number>>>('on-demand-prices.json')[REGION]!;

process.stdout.write('# name, architecture, vCPUs, memory in MiB, pods, USD an hour, zones, capacity types, devices\n');
for (const name of Object.keys(types).sort()) {
  if (zones[name] && prices[name] && isUsable(name)) process.stdout.write(`${row(name, types[name]!)}\n`);
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(join(directory, file), 'utf8')) as T;
}

/** Macs run no Linux. */
function isUsable(name: string): boolean {
  return !name.startsWith('mac');
}

function row(name: string, type: DescribedType): string {
  return [
    name,
    type.ProcessorInfo.SupportedArchitectures.includes('arm64') ? 'arm64' : 'amd64',
    type.VCpuInfo.DefaultVCpus,
    type.MemoryInfo.SizeInMiB,
    podsOf(type),
    prices[name],
    zones[name]!.map((zone) => zone.slice(REGION.length)).join(''),
    type.SupportedUsageClasses.includes('spot') ? 'on-demand,spot' : 'on-demand',
    devicesOf(type),
  ].join('\t');
}

/** Every interface of the first card keeps an address to itself; two pods use that of the machine. */
function podsOf({ NetworkInfo }: DescribedType): number {
  const { MaximumNetworkInterfaces } = NetworkInfo.NetworkCards[NetworkInfo.DefaultNetworkCardIndex]!;
  return MaximumNetworkInterfaces * (NetworkInfo.Ipv4AddressesPerInterface - 1) + 2;
}

function devicesOf({ GpuInfo, NeuronInfo }: DescribedType): string {
  const nvidia = sum(GpuInfo?.Gpus.filter(({ Manufacturer }) => Manufacturer === 'NVIDIA'));
  const neuron = sum(NeuronInfo?.NeuronDevices);
  const devices = { 'nvidia.com/gpu': nvidia, 'aws.amazon.com/neuron': neuron };
  return Object.entries(devices)
    .filter(([, count]) => count > 0)
    .map(([resource, count]) => `${resource}=${count}`)
    .join(',');
}

function sum(devices: readonly { readonly Count: number }[] = []): number {
  return devices.reduce((total, { Count }) => total + Count, 0);
}
