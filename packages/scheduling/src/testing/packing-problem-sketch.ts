import type { ExclusiveNeed } from '../cost/exclusive-needs.ts';
import type { HostRule } from '../cost/host-rules.ts';
import type { PodGroup } from '../cost/pod-groups.ts';
import type { NodeOption } from '../cost/node-options.ts';
import { PackingProblem } from '../cost/packing-problem.ts';

/** What filler and price search read of a pod group. */
export interface PodGroupSketch {
  readonly requests: readonly number[];
  readonly count: number;
  readonly hostRules?: readonly HostRule[];
  readonly exclusive?: readonly ExclusiveNeed[];
}

/** What they read of a node option. */
export interface NodeOptionSketch {
  readonly room: readonly number[];
  readonly costPerHour: number;
}

/** A packing problem of just that. Every pod group may be on every node option that it fits on. Options must be given cheapest first. */
export function sketchProblem(options: readonly NodeOptionSketch[], groups: readonly PodGroupSketch[]): PackingProblem {
  const sketchedGroups = groups.map(({ requests, count, hostRules = [] }, id) => ({
    id,
    requests: Float64Array.from(requests),
    units: Array.from({ length: count }),
    hostRules,
  }));
  const sketchedOptions = options.map(({ room, costPerHour }) => ({
    room: Float64Array.from(room),
    costPerHour,
    groups: Int32Array.from(
      [...groups.keys()].filter((group) => groups[group]!.requests.every((amount, r) => amount <= room[r]!)),
    ),
  }));
  const rules = groups.flatMap(({ hostRules = [] }) => hostRules.map(({ id }) => id + 1));
  return new PackingProblem({
    groups: sketchedGroups as unknown as readonly PodGroup[],
    options: sketchedOptions as unknown as readonly NodeOption[],
    hostRules: Math.max(0, ...rules),
    exclusive: groups.map(({ exclusive = [] }) => exclusive),
  });
}
