import { formatQuantity, parseQuantity, unitsOf } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { offeringMaker } from './placed-offering.ts';
import { toInstanceType } from './type-description.ts';

const CPUS = [1, 2, 4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
const FAMILIES = [
  { name: 'c', gibPerCpu: 2 },
  { name: 's', gibPerCpu: 4 },
  { name: 'm', gibPerCpu: 8 },
];
const SYSTEMS = ['linux', 'windows'];
const ARCHITECTURES = ['amd64', 'arm64'];
const ZONES = ['test-zone-a', 'test-zone-b', 'test-zone-c', 'test-zone-d'];

const PODS_PER_CPU = 16;
const MOST_PODS = 1024;
const SPOT_FRACTION = 0.7;

/**
 * Two prices of upstream's table differ in the last digit, because Go fused a multiplication and an addition. These
 * types are the cheapest of their size only because of that digit, so it is reproduced.
 */
const OTHERWISE_ROUNDED: Readonly<Record<string, number>> = {
  'c-48x-arm64-windows': 1.303079215104,
  'c-192x-arm64-linux': 5.212316860416,
};

/** Upstream's 144 generic types, in its order and at its prices (spec 03 §17.2). */
export function kwokTypes(): readonly InstanceType[] {
  const makeOffering = offeringMaker();
  const types: InstanceType[] = [];
  for (const cpu of CPUS) {
    for (const family of FAMILIES) {
      const memory = parseQuantity(`${cpu * family.gibPerCpu}Gi`);
      const usualPrice = priceOf(cpu, Number(unitsOf(memory)));
      const resources = {
        cpu: String(cpu),
        memory: formatQuantity(memory),
        pods: String(Math.min(PODS_PER_CPU * cpu, MOST_PODS)),
        'ephemeral-storage': '20Gi',
      };
      for (const os of SYSTEMS) {
        for (const architecture of ARCHITECTURES) {
          const name = `${family.name}-${cpu}x-${architecture}-${os}`;
          const price = OTHERWISE_ROUNDED[name] ?? usualPrice;
          const offerings = ZONES.flatMap((zone) => [
            makeOffering(zone, 'spot', price * SPOT_FRACTION),
            makeOffering(zone, 'on-demand', price),
          ]);
          types.push(toInstanceType({ name, architecture, operatingSystems: [os], resources, offerings }));
        }
      }
    }
  }
  return types;
}

/** Dollars an hour; computed in upstream's order, so that it rounds alike. */
function priceOf(cpu: number, memoryBytes: number): number {
  return 0.025 * cpu + (0.001 * memoryBytes) / 1e9;
}
