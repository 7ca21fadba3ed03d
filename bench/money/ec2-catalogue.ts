import { readFileSync } from 'node:fs';
import type { Random } from '@karpenter-ts/kubernetes/testing';

/** What a fleet file says about a type. */
interface CatalogueEntry {
  readonly name: string;
  readonly capacity: Readonly<Record<string, string>>;
  readonly overhead: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, readonly string[]>>;
  readonly offerings: readonly CatalogueOffering[];
}

interface CatalogueOffering {
  readonly zone: string;
  readonly capacityType: string;
  readonly price: number;
  readonly available: boolean;
}

export const ZONES: readonly string[] = ['us-east-1a', 'us-east-1b', 'us-east-1c'];

/** EC2's own figures: the table that the KWOK provider's `ec2` catalogue is made from. */
const TABLE = new URL('../../packages/provider-kwok/src/catalogue/ec2-us-east-1.tsv', import.meta.url);
/** As its first line names them. */
type Columns = [string, string, string, string, string, string, string, string, string];
const ROWS = readFileSync(TABLE, 'utf8')
  .split('\n')
  .filter((row) => row !== '' && !row.startsWith('#'))
  .map((row) => row.split('\t') as Columns);
const FAMILIES = [...new Set(ROWS.map(([name]) => familyOf(name)))].filter((family) => /^[cmrt]\d/.test(family));
const GPU_FAMILIES: readonly string[] = ['g4dn', 'g5', 'g6'];

/** The types of some families. Spot prices are invented, because EC2 shows them to customers only. */
export function randomCatalogue(random: Random): readonly CatalogueEntry[] {
  const count = 5 + random.below(26);
  const families = new Set([random.pick(GPU_FAMILIES)]);
  while (families.size <= count) families.add(random.pick(FAMILIES));
  const chosen = ROWS.filter(([name]) => families.has(familyOf(name)) && !name.includes('metal'));
  return chosen.map((row) => toEntry(row, random));
}

function familyOf(name: string): string {
  return name.split('.')[0]!;
}

function toEntry(row: Columns, random: Random): CatalogueEntry {
  const [name, arch, cpu, memoryMib, pods, , , , devices] = row;
  const [family = '', size = ''] = name.split('.');
  const gpus = /nvidia\.com\/gpu=(\d+)/.exec(devices)?.[1];
  return {
    name,
    capacity: {
      cpu,
      memory: `${Math.floor(Number(memoryMib) * 0.925)}Mi`, // without what the hypervisor keeps
      pods,
      'ephemeral-storage': '20Gi',
      ...(gpus !== undefined && { 'nvidia.com/gpu': gpus }),
    },
    overhead: {
      cpu: `${reservedMilli(Number(cpu))}m`,
      memory: `${11 * Number(pods) + 355}Mi`,
      'ephemeral-storage': '3Gi',
    },
    labels: {
      'kubernetes.io/arch': [arch],
      'kubernetes.io/os': ['linux'],
      'karpenter.k8s.aws/instance-family': [family],
      'karpenter.k8s.aws/instance-category': [family[0]!],
      'karpenter.k8s.aws/instance-cpu': [cpu],
      'karpenter.k8s.aws/instance-size': [size],
    },
    offerings: offeringsOf(row, random),
  };
}

function offeringsOf([, , , , , price, zones, capacityTypes]: Columns, random: Random): readonly CatalogueOffering[] {
  const onDemand = Number(price);
  const discounted = onDemand * (0.25 + random.below(50) / 100);
  return ZONES.flatMap((zone) => {
    if (!zones.includes(zone.at(-1)!)) return [];
    const spot = Number((discounted * (0.93 + random.below(15) / 100)).toFixed(6));
    return [
      { zone, capacityType: 'on-demand', price: onDemand, available: true },
      ...(capacityTypes.includes('spot')
        ? [{ zone, capacityType: 'spot', price: spot, available: random.chance(0.92) }]
        : []),
    ];
  });
}

/**
 * The CPU share that EKS reserves: 6 % of the first core, 1 % of the second, ½ % of the next two, ¼ % of the others.
 */
function reservedMilli(cpus: number): number {
  return 60 + (cpus > 1 ? 10 : 0) + 5 * Math.min(2, Math.max(0, cpus - 2)) + 2.5 * Math.max(0, cpus - 4);
}
