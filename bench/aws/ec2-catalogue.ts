// What EC2NodeClasses may be, resolved by the provider from EC2's answers over HTTP.
import type { EC2NodeClass } from '@karpenter-ts/apis';
import {
  createAwsApis,
  createInstanceTypes,
  DiscoveredMemory,
  DiscoveredTypes,
  NO_OVERLAY_PRICES,
  NO_ZONAL_SHIFTS,
  Prices,
  ReservationCounts,
  UnavailableOfferings,
} from '@karpenter-ts/provider-aws/parts';
import { Metrics, nullLogger, realClock } from '@karpenter-ts/runtime';

const REGION = 'us-east-1';
const signal = new AbortController().signal;

/** A NodeClass with a subnet in each zone. */
export function nodeClass(zones: ReadonlySet<string>, maxPods: number): EC2NodeClass {
  const subnets = [...zones].map((zone) => ({ id: `subnet-${zone}`, zone, zoneID: `id-of-${zone}` }));
  const spec = { amiSelectorTerms: [{ alias: 'al2023@latest' }], kubelet: { maxPods } } as unknown;
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name: `pods-${maxPods}` },
    spec: spec as NonNullable<EC2NodeClass['spec']>,
    status: { subnets, amis: [{ id: 'ami-1', requirements: [] }] },
  };
}

/** The provider's catalogue, which `refresh` reads. */
export async function createCatalogue(endpoint: string) {
  const env = { AWS_REGION: REGION, AWS_ENDPOINT_URL: endpoint, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const clock = realClock;
  const deps = { clock, logger: nullLogger, metrics: new Metrics(clock) };
  const { apis } = await createAwsApis({ ...deps, env, version: 'bench' });
  const { ec2, pricing } = apis;
  const discovered = new DiscoveredTypes({ ...deps, ec2 });
  const prices = new Prices({ ...deps, ec2, pricing, region: REGION, isolatedVpc: false });
  const source = createInstanceTypes({
    discovered,
    prices,
    clock,
    memory: new DiscoveredMemory(deps),
    unavailable: new UnavailableOfferings(deps),
    reservations: new ReservationCounts(clock),
    overlayPrices: NO_OVERLAY_PRICES,
    zonalShift: NO_ZONAL_SHIFTS,
    options: { region: REGION, vmMemoryOverheadPercent: 0.075, reservedEnis: 0 },
    reservedCapacity: true,
  });
  const refresh = () =>
    Promise.all([
      discovered.refreshTypes(signal),
      discovered.refreshOfferings(signal),
      prices.refreshSpot(signal),
      prices.refreshOnDemand(signal),
    ]);
  return { discovered, source, refresh };
}
