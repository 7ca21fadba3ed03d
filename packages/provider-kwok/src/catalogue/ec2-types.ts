import { readFileSync } from 'node:fs';
import type { CapacityType } from '@karpenter-ts/apis';
import { formatQuantity } from '@karpenter-ts/kubernetes';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import { SeededRng } from '../seeded-rng.ts';
import { offeringMaker } from './placed-offering.ts';
import { toInstanceType } from './type-description.ts';

/** Made by tools/ec2-catalogue.ts. */
const TABLE = new URL('./ec2-us-east-1.tsv', import.meta.url);
const REGION = 'us-east-1';

/** The share of memory that firmware and hypervisor take: upstream's figure for EC2 (spec 07 §5). */
const MEMORY_OVERHEAD = 0.075;
const MEBI = 2n ** 20n;
const NANO = 1_000_000_000n;

/** Spot costs between these fractions of on demand: what EC2 has asked for most types in most years. */
const LEAST_SPOT_PERCENT = 30;
const MOST_SPOT_PERCENT = 70;

/** What an EC2 launch takes last: bare metal, and types with devices (spec 07 §12). */
const METAL = /\.metal/;

type MakeOffering = ReturnType<typeof offeringMaker>;

/**
 * EC2's types in us-east-1 with their real sizes, pod limits, devices, zones and on-demand prices. Spot prices are made
 * up, but the same every time: each type has one of its own in each zone.
 */
export function ec2Types(): readonly InstanceType[] {
  const makeOffering = offeringMaker();
  const rows = readFileSync(TABLE, 'utf8').split('\n');
  return rows.filter((row) => row !== '' && !row.startsWith('#')).map((row) => readRow(row, makeOffering));
}

function readRow(row: string, makeOffering: MakeOffering): InstanceType {
  const [name, architecture, cpu, memoryMib, pods, price, zones, capacityTypes, devices] = row.split('\t') as Columns;
  return toInstanceType({
    name,
    architecture,
    operatingSystems: ['linux'],
    resources: {
      cpu,
      memory: usableMemory(Number(memoryMib)),
      pods,
      'ephemeral-storage': '20Gi',
      ...readDevices(devices),
    },
    offerings: offeringsOf(
      { name, price: Number(price), zones, sellsSpot: capacityTypes.includes('spot') },
      makeOffering,
    ),
    lastResort: METAL.test(name) || devices !== '',
  });
}

/** As its first line names them. */
type Columns = [string, string, string, string, string, string, string, string, string];

function offeringsOf(
  type: { readonly name: string; readonly price: number; readonly zones: string; readonly sellsSpot: boolean },
  makeOffering: MakeOffering,
): readonly Offering[] {
  const rng = new SeededRng(type.name);
  return [...type.zones].flatMap((letter) => {
    const prices: [CapacityType, number][] = [['on-demand', type.price]];
    if (type.sellsSpot) prices.unshift(['spot', spotPrice(type.price, rng)]);
    return prices.map(([capacityType, price]) => makeOffering(`${REGION}${letter}`, capacityType, price));
  });
}

function spotPrice(onDemand: number, rng: SeededRng): number {
  const percent = LEAST_SPOT_PERCENT + rng.below(MOST_SPOT_PERCENT - LEAST_SPOT_PERCENT + 1);
  return Number(((onDemand * percent) / 100).toFixed(6));
}

function usableMemory(mib: number): string {
  const usable = BigInt(mib - Math.ceil(mib * MEMORY_OVERHEAD));
  return formatQuantity({ nanos: usable * MEBI * NANO, format: 'BinarySI' });
}

/** `nvidia.com/gpu=4,…` */
function readDevices(list: string): Readonly<Record<string, string>> {
  if (list === '') return {};
  return Object.fromEntries(list.split(',').map((device) => device.split('=') as [string, string]));
}
