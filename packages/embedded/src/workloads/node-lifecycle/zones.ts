import { type SteadyClock, SECOND } from '@karpenter-ts/runtime';
import { findCondition } from '../conditions.ts';
import type { Node } from '@karpenter-ts/kubernetes';

/** How much of a zone is unhealthy. */
export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

// kube-controller-manager's figures.
const NODES_PER_SECOND = 0.1;
const NODES_PER_SECOND_IN_TROUBLE = 0.01;
const LARGE_ZONE = 50;
const TROUBLED_SHARE = 0.55;
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/**
 * If many nodes of a zone fail at once, the network is a likelier cause than the nodes: evictions are then slowed down
 * or stopped. Decides how fast the nodes of each zone may be tainted.
 */
export class ZonePace {
  readonly #clock: SteadyClock;
  readonly #next = new Map<string, number>(); // by zone: when another node may be tainted, in elapsed milliseconds
  readonly #states = new Map<string, ZoneState>();
  #sizes: ReadonlyMap<string, number> = new Map();

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /**
   * Updates the zones from the state of all nodes. Returns true if no node is ready any more: then nothing is evicted.
   */
  observe(nodes: readonly Node[]): boolean {
    const wasDown = this.#isAllDown();
    const zones = Map.groupBy(
      nodes.filter(({ metadata }) => !(EXCLUDED in (metadata.labels ?? {}))),
      zoneKey,
    );
    this.#sizes = new Map([...zones].map(([zone, members]) => [zone, members.length]));
    this.#states.clear();
    for (const [zone, members] of zones) this.#states.set(zone, stateOf(members));
    return !wasDown && this.#isAllDown();
  }

  /** Whether this node may be tainted now. If so, the next node of its zone has to wait. */
  admits(node: Node): boolean {
    const zone = zoneKey(node);
    const rate = this.#rate(zone);
    const now = this.#clock.elapsed();
    if (rate === 0 || now < (this.#next.get(zone) ?? 0)) return false;
    this.#next.set(zone, now + SECOND / rate);
    return true;
  }

  #rate(zone: string): number {
    if (this.#isAllDown()) return 0;
    if (this.#states.get(zone) !== 'PartialDisruption') return NODES_PER_SECOND;
    return (this.#sizes.get(zone) ?? 0) > LARGE_ZONE ? NODES_PER_SECOND_IN_TROUBLE : 0;
  }

  #isAllDown(): boolean {
    const states = [...this.#states.values()];
    return states.length > 0 && states.every((state) => state === 'FullDisruption');
  }
}

function stateOf(nodes: readonly Node[]): ZoneState {
  const ready = nodes.filter(({ status }) => findCondition(status?.conditions, 'Ready')?.status === 'True').length;
  const notReady = nodes.length - ready;
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  return notReady > 2 && notReady / nodes.length >= TROUBLED_SHARE ? 'PartialDisruption' : 'Normal';
}

/** What the label `topology.kubernetes.io/zone` says with its region, as controllers group nodes; '' for neither. */
function zoneKey({ metadata }: Node): string {
  const region = metadata.labels?.['topology.kubernetes.io/region'] ?? '';
  const zone = metadata.labels?.['topology.kubernetes.io/zone'] ?? '';
  return region === '' && zone === '' ? '' : `${region}:\0:${zone}`;
}
