import { portsConflict } from '../../model/pods/host-ports.ts';
import { BitSet } from '../../model/interning/bit-set.ts';
import type { ResourceVector } from '../../model/resources/resource-table.ts';
import { clashes } from '../daemon-peers.ts';
import type { Demand } from '../demand.ts';
import type { NodeTemplate } from './node-template.ts';

/**
 * Puts into `out` the variants of `from` that hold `requests` and a demand on top, with the daemons of each. Types on
 * which a daemon has the pod's port or cannot run beside it are out.
 */
export function fittingVariants(
  out: BitSet,
  from: BitSet,
  template: NodeTemplate,
  held: Pick<Demand, 'requests' | 'ports'>,
  demand: Pick<Demand, 'requests' | 'ports' | 'avoided'>,
): void {
  out.copyFrom(from);
  if (portsConflict(demand.ports, held.ports)) {
    out.clear();
    return;
  }
  const { overheadGroups } = template;
  const [only] = overheadGroups;
  if (overheadGroups.length === 1 && !clashes(demand, only!)) {
    keepFitting(out, template, held.requests, demand.requests, only!.vector);
    return;
  }
  const part = new BitSet();
  out.clear();
  for (const group of overheadGroups) {
    if (clashes(demand, group)) continue;
    part.copyFrom(from);
    part.intersect(group.variants);
    keepFitting(part, template, held.requests, demand.requests, group.vector);
    out.unite(part);
  }
}

/** The variants of `from` that hold a demand, with nothing beside it but the daemons of each. */
export function variantsHolding(
  from: BitSet,
  template: NodeTemplate,
  demand: Pick<Demand, 'requests' | 'ports' | 'avoided'>,
): BitSet {
  const out = new BitSet();
  fittingVariants(out, from, template, { requests: new Float64Array(demand.requests.length), ports: [] }, demand);
  return out;
}

function keepFitting(
  variants: BitSet,
  { market }: NodeTemplate,
  present: ResourceVector,
  added: ResourceVector,
  overhead: ResourceVector,
): void {
  for (let r = 0; r < added.length; r++) {
    const needed = present[r]! + added[r]! + overhead[r]!;
    if (needed > 0 && !variants.intersect(market.withAtLeast(r, needed))) return;
  }
}
