import type { WindowReason } from '@karpenter-ts/apis';
import { defineGauge, type GaugeSample, gaugeSample, type Metrics, SeriesSets } from '@karpenter-ts/runtime';
import type { BlockedCounts } from './blocked-nodes.ts';
import { type Blocker, blockerOf } from './blockers.ts';
import type { CandidateSelection } from '../candidates/candidate-filters.ts';
import { reasonLabel } from './disruption-metrics.ts';

const nodesBlocked = defineGauge(
  'karpenter_ext_nodes_blocked',
  ['nodepool', 'reason', 'blocker'],
  'Number of nodes that should be disrupted and are kept. Labeled by nodepool, disruption reason, and what keeps them.',
);

const blockingPods = defineGauge(
  'karpenter_ext_blocking_pods',
  ['namespace', 'blocker'],
  'Number of pods that keep their nodes, one for each node. Labeled by namespace, and what protects the pod.',
);

/** Beyond these namespaces pods are counted under one label value, so that the number of series has a bound. */
const MOST_NAMESPACES = 200;
const OTHER = 'other';

/** Shows what keeps nodes that should go (spec 09 C5). Series end with what they are about. */
export class BlockedNodesMetrics {
  readonly #nodes: SeriesSets;
  readonly #pods: SeriesSets;

  constructor(metrics: Metrics) {
    this.#nodes = new SeriesSets(metrics);
    this.#pods = new SeriesSets(metrics);
  }

  /** Shows the nodes that stay although they should go for this reason. */
  showNodes(reason: WindowReason, counts: BlockedCounts): void {
    const samples: GaugeSample[] = [];
    for (const [nodepool, byBlocker] of counts) {
      for (const [blocker, nodes] of byBlocker) {
        samples.push(gaugeSample(nodesBlocked, { nodepool, reason: reasonLabel(reason), blocker }, nodes));
      }
    }
    this.#nodes.replace(reason, samples);
  }

  /** Shows whose pods keep their nodes. Each node counts once, for the pod that events name. */
  showPods({ blocked }: CandidateSelection): void {
    const counts = new Map<string, Map<Blocker, number>>();
    for (const { why } of blocked) {
      const blocker = 'pod' in why ? blockerOf(why) : undefined;
      if (blocker === undefined || !('pod' in why)) continue;
      const { namespace = '' } = why.pod.metadata;
      const isKnown = counts.has(namespace) || counts.size < MOST_NAMESPACES;
      const key = isKnown ? namespace : OTHER;
      const ofNamespace = counts.get(key) ?? new Map<Blocker, number>();
      counts.set(key, ofNamespace.set(blocker, (ofNamespace.get(blocker) ?? 0) + 1));
    }
    const samples = [...counts].flatMap(([namespace, byBlocker]) =>
      [...byBlocker].map(([blocker, nodes]) => gaugeSample(blockingPods, { namespace, blocker }, nodes)),
    );
    this.#pods.replace('pods', samples);
  }
}
