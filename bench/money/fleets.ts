import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type Fleet, type PlanFile, readFleet } from '@karpenter-ts/cli/fleet';
import { type FleetKind, randomEc2Fleet } from './random-fleet.ts';

/** A fleet to plan, with known results. */
export interface MoneyFleet {
  readonly name: string;
  readonly kind: FleetKind;
  readonly fleet: Fleet;
  /** The price of upstream 1.14.1's own plan, where it was computed. */
  readonly upstreamPricePerHour: number | undefined;
}

const FOLDER = join(import.meta.dirname, '../fleets');
const PLANNED_BY_UPSTREAM: readonly string[] = [
  'plain-300-101',
  'plain-300-102',
  'plain-2000-103',
  'mixed-500-201',
  'mixed-500-202',
  'mixed-2000-203',
  'mixed-2000-204',
];

/** The fleets planned by upstream, and random ones, half of them mixed, generated one at a time. */
export function* moneyFleets(seed: number, randomFleets: number): Generator<MoneyFleet> {
  for (const name of PLANNED_BY_UPSTREAM) yield loadPlanned(name);
  for (const kind of ['plain', 'mixed'] as const) {
    for (let i = 0; i < randomFleets / 2; i++) {
      const fleet = randomEc2Fleet(seed + i, kind);
      yield { name: `${kind}-random-${seed + i}`, kind, fleet, upstreamPricePerHour: undefined };
    }
  }
}

/** A fleet that upstream planned, by name. */
export function loadPlanned(name: string): MoneyFleet {
  const read = readFleet(unpack(`${name}.json.gz`));
  if (!('fleet' in read)) throw new Error(`${name}: ${JSON.stringify(read.problems[0])}`);
  const upstream = JSON.parse(unpack(`${name}.upstream.json.gz`)) as PlanFile;
  const kind = name.startsWith('plain') ? 'plain' : 'mixed';
  return { name, kind, fleet: read.fleet, upstreamPricePerHour: upstream.pricePerHour };
}

function unpack(file: string): string {
  return gunzipSync(readFileSync(join(FOLDER, file))).toString();
}
