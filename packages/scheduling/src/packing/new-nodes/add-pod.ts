import type { Reservations } from '../../checks/reservations.ts';
import type { Topology } from '../../topology/topology.ts';
import type { Accepted } from './acceptance.ts';
import type { Demand } from '../demand.ts';
import type { InFlightNode, Placed } from './in-flight-node.ts';

export interface AddPodDeps {
  readonly reservations: Reservations;
  readonly topology: Topology;
}

/** Puts a pod on the node that has just accepted it. The node becomes what the check found. */
export function addPod(
  { reservations, topology }: AddPodDeps,
  node: InFlightNode,
  placed: Placed,
  { requests, ports }: Demand,
  { set, variants, held }: Accepted,
): void {
  node.set = set;
  node.variants.copyFrom(variants);
  if (held !== node.held) {
    reservations.exchange(node.held, held);
    node.held = held;
  }
  for (let r = 0; r < requests.length; r++) node.requests[r]! += requests[r]!;
  if (ports.length > 0) node.ports = [...node.ports, ...ports];
  node.pods.push(placed);
  topology.record(placed.queued.podClass.kind, {
    set,
    taints: node.template.taints,
    hostname: node.placeholder,
    host: node.index,
    isPlanned: true,
  });
}
