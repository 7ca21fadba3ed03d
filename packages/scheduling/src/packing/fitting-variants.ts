import { portsConflict } from '../checks/host-ports.ts';
import { BitSet } from '../interning/bit-set.ts';
import type { ResourceVector } from '../resources/resource-table.ts';
import type { Demand } from './demand.ts';
import type { NodeTemplate } from './node-template.ts';

/**
 * Puts into `out` the variants of `from` that hold `requests` and a demand on top, with the daemons of each. Types on
 * which a daemon has the pod's port are out. False when nothing is left.
 */
export function fittingVariants(
  out: BitSet,
  from: BitSet,
  template: NodeTemplate,
  held: Pick<Demand, 'requests' | 'ports'>,
  demand: Pick<Demand, 'requests' | 'ports'>,
): boolean {
  out.copyFrom(from);
  if (demand.ports.length > 0 && portsConflict(demand.ports, held.ports)) {
    out.clear();
    return false;
  }
  const { overheadGroups } = template;
  const [only] = overheadGroups;
  if (overheadGroups.length === 1 && (demand.ports.length === 0 || !portsConflict(demand.ports, only!.ports))) {
    return keepFitting(out, template, held.requests, demand.requests, only!.vector);
  }
  const part = new BitSet();
  out.clear();
  for (const group of overheadGroups) {
    if (portsConflict(demand.ports, group.ports)) continue;
    part.copyFrom(from);
    part.intersect(group.variants);
    if (keepFitting(part, template, held.requests, demand.requests, group.vector)) out.unite(part);
  }
  return !out.isEmpty();
}

function keepFitting(
  variants: BitSet,
  { market }: NodeTemplate,
  present: ResourceVector,
  added: ResourceVector,
  overhead: ResourceVector,
): boolean {
  for (let r = 0; r < added.length; r++) {
    const needed = present[r]! + added[r]! + overhead[r]!;
    if (needed > 0 && !variants.intersect(market.withAtLeast(r, needed))) return false;
  }
  return true;
}
