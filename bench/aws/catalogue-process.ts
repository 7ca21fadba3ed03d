// The instance types of EC2NodeClasses, from EC2's answers over HTTP, in a process of its own: catalogue-process.ts URL
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
import { LoopHolds } from './loop-holds.ts';

export interface CatalogueFigures {
  readonly types: number;
  readonly offerings: number;
  /** Processor time of resolving all types for the first NodeClass. */
  readonly firstCpuMs: number;
  /** Time for another one with equal settings. */
  readonly equalMs: number;
  /** How many objects of the list are new after a refresh that changes nothing. */
  readonly newObjects: number;
  /** What ten NodeClasses with different settings keep, EC2's answers included. */
  readonly liveHeapMb: number;
  readonly longestHoldMs: number;
}

const REGION = 'us-east-1';
const NODE_CLASSES = 10;
const signal = new AbortController().signal;

/** A NodeClass with a subnet in each zone. */
function nodeClass(zones: ReadonlySet<string>, maxPods: number): EC2NodeClass {
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

async function createCatalogue(endpoint: string) {
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

async function measure(endpoint: string): Promise<CatalogueFigures> {
  const { discovered, source, refresh } = await createCatalogue(endpoint);
  const heapBefore = liveHeap();
  const holds = new LoopHolds();
  await refresh();
  const cpu = process.cpuUsage();
  const list = await source.listInTurns(nodeClass(discovered.zones, 1), undefined, signal);
  const { user, system } = process.cpuUsage(cpu);
  const longestHoldMs = holds.stop();

  const started = performance.now();
  const equal = source.list(nodeClass(discovered.zones, 1), undefined);
  const equalMs = performance.now() - started;
  if (equal !== list) throw new Error('NodeClasses with equal settings do not share their types');

  await refresh();
  const again = source.list(nodeClass(discovered.zones, 1), undefined);
  const newObjects = (again === list ? 0 : 1) + again.filter((type, index) => type !== list[index]).length;

  const others = Array.from({ length: NODE_CLASSES }, (_, pods) => nodeClass(discovered.zones, pods + 1));
  const lists = others.map((one) => source.list(one, undefined));
  const liveHeapMb = (liveHeap() - heapBefore) / 1e6;
  return {
    types: list.length,
    offerings: list.reduce((sum, { offerings }) => sum + offerings.length, 0),
    firstCpuMs: (user + system) / 1000,
    equalMs,
    newObjects,
    liveHeapMb: lists.length === NODE_CLASSES ? liveHeapMb : Number.NaN,
    longestHoldMs,
  };
}

function liveHeap(): number {
  globalThis.gc!();
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
}

process.send!(await measure(process.argv[2]!));
process.disconnect();
