import { type Controller, type LiveSample, SECOND, singleton } from '@karpenter-ts/runtime';
import { addAmounts, AmountReader, NO_AMOUNTS } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '@karpenter-ts/scheduling';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { StateNode } from '../state/state-node.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import { TimeSlices } from '../state/time-slices.ts';
import { clusterUtilization, type NodeAmount, type NodeMetrics, nodeMetricsOf } from './node-metrics.ts';
import { type JoinedNode, type NodeReport, reportNode } from './node-report.ts';
import { type ResourceSample, utilizationSamples } from './resource-samples.ts';

const PERIOD = 5 * SECOND;

/**
 * Exports the resources and the usage of Nodes, looking every 5 s (spec 05 §4.2). If the cluster has not changed since
 * the last look, a look costs nothing.
 */
export function nodeMetricsController(
  core: ControllerDeps,
  cluster: Pick<ClusterModel, 'revision' | 'snapshotInSlices'>,
): Controller {
  const watch = new NodeWatch(core);
  let seen: number | undefined;
  return singleton('metrics.node', async (signal) => {
    if (cluster.revision === seen) return { requeueAfter: PERIOD };
    const { revision } = cluster; // read first, so that a change during this look counts for the next one
    const slices = new TimeSlices(core.clock, signal);
    const { active, deleting } = await cluster.snapshotInSlices(slices);
    await watch.look([...active, ...deleting].filter(hasJoined), slices);
    seen = revision;
    return { requeueAfter: PERIOD };
  });
}

function hasJoined(state: StateNode): state is JoinedNode {
  return state.node !== undefined;
}

/** The reports of all Nodes. Only changed ones are computed again, in time slices. */
class NodeWatch {
  readonly #core: ControllerDeps;
  readonly #metrics: NodeMetrics;
  readonly #known = new WeakMap<ExistingNode, NodeReport>(); // a new object means a change
  #isExposed = false;
  #reports: readonly NodeReport[] = [];
  #utilization: readonly ResourceSample[] = [];

  constructor(core: ControllerDeps) {
    this.#core = core;
    this.#metrics = nodeMetricsOf(core.provider.profile);
  }

  async look(nodes: readonly JoinedNode[], slices: TimeSlices): Promise<void> {
    const reader = new AmountReader();
    const reports: NodeReport[] = [];
    let allocatable = NO_AMOUNTS;
    let requested = NO_AMOUNTS;
    for (const node of nodes) {
      const report = this.#report(node, reader);
      reports.push(report);
      allocatable = addAmounts(allocatable, report.share.allocatable);
      requested = addAmounts(requested, report.share.requested);
      if (slices.isOver) await slices.pause();
    }
    if (!this.#isExposed) this.#expose();
    this.#reports = reports;
    this.#utilization = utilizationSamples(allocatable, requested);
  }

  #report(node: JoinedNode, reader: AmountReader): NodeReport {
    let report = this.#known.get(node.existing);
    if (report === undefined) {
      report = reportNode(node, this.#metrics.sources, reader);
      this.#known.set(node.existing, report);
    }
    return report;
  }

  /** Only after the first look, because only the leader looks: other replicas export nothing. */
  #expose(): void {
    this.#isExposed = true;
    const { metrics } = this.#core;
    const { amounts, lifetimeSeconds } = this.#metrics;
    for (const [amount, gauge] of Object.entries(amounts)) {
      metrics.expose(gauge, () => this.#amounts(amount as NodeAmount));
    }
    metrics.expose(lifetimeSeconds, () => this.#lifetimes());
    metrics.expose(clusterUtilization, () =>
      this.#utilization.map(({ resourceType, value }) => ({ labels: { resource_type: resourceType }, value })),
    );
  }

  *#amounts(amount: NodeAmount): Generator<LiveSample> {
    for (const { labels, samples } of this.#reports) {
      for (const { resourceType, value } of samples[amount]) {
        yield { labels: { ...labels, resource_type: resourceType }, value };
      }
    }
  }

  *#lifetimes(): Generator<LiveSample> {
    const now = this.#core.clock.now();
    for (const { labels, createdAt } of this.#reports) yield { labels, value: (now - createdAt) / SECOND };
  }
}
