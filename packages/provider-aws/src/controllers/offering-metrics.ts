import { setImmediate as nextTurn } from 'node:timers/promises';
import { CAPACITY_TYPE_LABEL, type NodePool, ZONE_LABEL } from '@karpenter-ts/apis';
import { type Controller, defineGauge, type Metrics, MINUTE, singleton } from '@karpenter-ts/runtime';
import type { InstanceType, Offering } from '@karpenter-ts/scheduling';
import { isManagedNodePool } from '../node-class/managed.ts';

const LABELS = ['instance_type', 'capacity_type', 'zone'] as const;

const offeringAvailable = defineGauge(
  'karpenter_cloudprovider_instance_type_offering_available',
  LABELS,
  'Instance type offering availability, based on instance type, capacity type, and zone',
);

const offeringPrice = defineGauge(
  'karpenter_cloudprovider_instance_type_offering_price_estimate',
  LABELS,
  'Instance type offering estimated hourly price used when making informed decisions on node cost calculation, based on instance type, capacity type, and zone.',
);

const INTERVAL = 1 * MINUTE;

/** Adding the offerings of these up takes a few milliseconds. */
const TYPES_IN_A_TURN = 100;

export interface OfferingMetricsDeps {
  readonly nodePools: { list(): readonly NodePool[] };
  readonly instanceTypes: (nodePool: NodePool, signal: AbortSignal) => Promise<readonly InstanceType[]>;
  /** Whether reservations are used (gate ReservedCapacity). */
  readonly reservedCapacity: boolean;
  readonly metrics: Metrics;
}

/** What all NodePools together say of one way to buy a type. */
interface Row {
  readonly labels: Readonly<Record<(typeof LABELS)[number], string>>;
  available: boolean;
  price: number;
}

type Rows = ReadonlyMap<string, Row>;

/**
 * Shows every minute what can be bought, and for how much (spec 07 §27). A type is available if it is for one NodePool.
 * If the types of a NodePool cannot be had, nothing new is shown. What no NodePool has any more is not shown any longer;
 * upstream keeps showing it (weakness 26). NodePools of another provider's Karpenter are passed over, whom upstream tells that
 * their NodeClass is missing.
 */
export function offeringMetrics({
  nodePools,
  instanceTypes,
  reservedCapacity,
  metrics,
}: OfferingMetricsDeps): Controller {
  let rows: Rows = new Map();
  let shown: readonly (readonly InstanceType[])[] = [];
  metrics.expose(offeringAvailable, () => samples(rows, ({ available }) => (available ? 1 : 0)));
  metrics.expose(offeringPrice, () => samples(rows, ({ price }) => price));

  return singleton('cloudprovider.metrics', async (signal) => {
    const lists: (readonly InstanceType[])[] = [];
    for (const nodePool of nodePools.list().filter(isManagedNodePool))
      lists.push(await instanceTypes(nodePool, signal));
    const distinct = [...new Set(lists)];
    const isShown = distinct.length === shown.length && distinct.every((list, index) => list === shown[index]);
    if (!isShown) rows = await addUp(distinct, reservedCapacity ? withReserved : asTheyAre, signal);
    shown = distinct;
    return { requeueAfter: INTERVAL };
  });
}

function* samples(rows: Rows, valueOf: (row: Row) => number) {
  for (const row of rows.values()) yield { labels: row.labels, value: valueOf(row) };
}

type Completion = (rows: Map<string, Row>, type: InstanceType) => void;

/** Of several NodePools, the price that the last one has counts. */
async function addUp(
  lists: readonly (readonly InstanceType[])[],
  complete: Completion,
  signal: AbortSignal,
): Promise<Rows> {
  const rows = new Map<string, Row>();
  let types = 0;
  for (const list of lists) {
    for (const type of list) {
      for (const offering of type.offerings) add(rows, type.name, offering);
      complete(rows, type);
      if (++types % TYPES_IN_A_TURN !== 0) continue;
      await nextTurn();
      signal.throwIfAborted();
    }
  }
  return rows;
}

function add(rows: Map<string, Row>, type: string, offering: Offering): void {
  const row = rowOf(rows, type, valueOf(offering, CAPACITY_TYPE_LABEL), valueOf(offering, ZONE_LABEL));
  row.available ||= offering.available;
  row.price = offering.pricePerHour;
}

const asTheyAre: Completion = () => undefined;

/** A zone in which nothing is reserved is shown as one where nothing reserved is available. */
function withReserved(rows: Map<string, Row>, { name, offerings }: InstanceType): void {
  for (const offering of offerings) rowOf(rows, name, 'reserved', valueOf(offering, ZONE_LABEL));
}

function rowOf(rows: Map<string, Row>, instance_type: string, capacity_type: string, zone: string): Row {
  const key = `${instance_type} ${capacity_type} ${zone}`;
  let row = rows.get(key);
  if (row === undefined) {
    row = { labels: { instance_type, capacity_type, zone }, available: false, price: 0 };
    rows.set(key, row);
  }
  return row;
}

function valueOf({ requirements }: Offering, label: string): string {
  for (const { key, values } of requirements) if (key === label) return values?.[0] ?? '';
  return '';
}
