import type { HostRule } from '../cost/host-rules.ts';
import type { Lot } from '../cost/lot.ts';
import type { Machine } from '../cost/machine.ts';
import { Tender } from '../cost/tender.ts';

/** What fillers and auctions read of a lot. */
export interface LotSketch {
  readonly requests: readonly number[];
  readonly count: number;
  readonly hostRules?: readonly HostRule[];
}

/** What they read of a machine. */
export interface MachineSketch {
  readonly room: readonly number[];
  readonly costPerHour: number;
}

/** A tender of just that; every lot may be on every machine it fits on. Machines must be given cheapest first. */
export function sketchTender(machines: readonly MachineSketch[], lots: readonly LotSketch[]): Tender {
  const sketchedLots = lots.map(({ requests, count, hostRules = [] }, id) => ({
    id,
    requests: Float64Array.from(requests),
    units: Array.from({ length: count }),
    hostRules,
  }));
  const sketchedMachines = machines.map(({ room, costPerHour }) => ({
    room: Float64Array.from(room),
    costPerHour,
    lots: Int32Array.from(
      [...lots.keys()].filter((lot) => lots[lot]!.requests.every((amount, r) => amount <= room[r]!)),
    ),
  }));
  const rules = lots.flatMap(({ hostRules = [] }) => hostRules.map(({ id }) => id + 1));
  return new Tender({
    lots: sketchedLots as unknown as readonly Lot[],
    machines: sketchedMachines as unknown as readonly Machine[],
    hostRules: Math.max(0, ...rules),
  });
}
