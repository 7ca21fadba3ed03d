import type { PoolTemplate, SnapshotIndex } from './snapshot-index.ts';
import { Reservations } from './checks/reservations.ts';
import type { ClusterNode } from './cluster/cluster-nodes.ts';
import { FailureWriter } from './explanation/failure.ts';
import type { Failure } from './explanation/reason.ts';
import { TypeLists } from './instance-types/type-list.ts';
import { BitSet } from './interning/bit-set.ts';
import type { Pod } from './objects/pod.ts';
import { ExistingField } from './packing/existing-field.ts';
import type { OpenPool } from './packing/new-node.ts';
import type { NodeTemplate } from './packing/node-template.ts';
import { placeholderOf } from './packing/open-node.ts';
import { finishNode, toPlacedPod } from './packing/outcome.ts';
import { Packer } from './packing/packer.ts';
import type { PodClass } from './packing/pod-class.ts';
import { PodQueue, type QueuedPod } from './packing/queued-pod.ts';
import type { FailureDraft } from './packing/refusal-draft.ts';
import type { NodePlacement, Plan, PlannedNode, UnschedulablePod, UnusablePool } from './plan.ts';
import type { PlanRun, Progress } from './progress.ts';
import type { Pool } from './snapshot.ts';
import { effectiveZone } from './topology/effective-zone.ts';
import { Topology } from './topology/topology.ts';

/** How many pods or nodes are worked on between two chances to pause: about a millisecond of work. */
const STEP = 256;

/** What one run is about. */
export interface Scope {
  readonly pods: readonly QueuedPod[];
  readonly pools: readonly Pool[];
  /** Open nodes of the snapshot that are not there in this run. */
  readonly gone: readonly ClusterNode[];
}

/** The plan within a scope. */
export function* planScope(index: SnapshotIndex, scope: Scope): PlanRun {
  const failed = new Map<QueuedPod, Failure>();
  for (const queued of scope.pods) {
    const failure = findObstacle(queued, index, scope);
    if (failure !== undefined) failed.set(queued, failure);
  }
  const queue = new PodQueue(scope.pods.filter((queued) => !failed.has(queued)));
  yield placing(queue.length);
  const run = new Run(index, scope, queue);
  for (const [i, { podClass }] of queue.all().entries()) {
    if (i % STEP === 0) yield placing(queue.length);
    run.announce(podClass);
  }
  for (let queued = queue.pop(); queued !== undefined; queued = queue.pop()) {
    if ((yield placing(queue.length + 1)) === 'stop') {
      queue.push(queued);
      break;
    }
    run.place(queued);
  }
  return yield* run.outcome(failed);
}

/** How many pending pods could go to which zone, before any is placed (spec 02 §25.3). */
export function countByZone(index: SnapshotIndex, scope: Scope): ReadonlyMap<string, number> {
  const topology = topologyOf(index, scope);
  const { sets, domains } = index.lexicon;
  const counts = new Map<string, number>();
  for (const { podClass } of scope.pods) topology.announce(podClass.kind);
  for (const { pod, podClass } of scope.pods) {
    if (pod.status?.phase !== 'Pending') continue;
    const stage = podClass.kind.constraints.stages[0]!;
    const zone = effectiveZone(podClass.shape, stage, topology.bindingRules(podClass.kind, stage), { sets, domains });
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return counts;
}

/** Nothing was looked at. */
export function undecidedPlan(pods: readonly Pod[]): Plan {
  return { newNodes: [], existingNodes: [], unschedulable: [], undecided: pods, unusablePools: [], pricePerHour: 0 };
}

/** What keeps a pod from being tried at all. */
function findObstacle(
  { podClass: { shape } }: QueuedPod,
  { options }: SnapshotIndex,
  { pools }: Scope,
): Failure | undefined {
  if (pools.length === 0) return { why: 'NoPools' };
  if (shape.usesDynamicResources && options.ignoreDraRequests) return { why: 'DynamicResources' };
  // Placed without knowing where its volumes are, it might never start (spec 02, remark 21).
  if (shape.volumeNeeds.kind === 'missing') return { why: 'VolumeLookup', missing: shape.volumeNeeds.missing };
  return undefined;
}

/** The state of one run. */
class Run {
  readonly #index: SnapshotIndex;
  readonly #queue: PodQueue;
  readonly #templates: readonly PoolTemplate[];
  readonly #topology: Topology;
  readonly #packer: Packer;
  readonly #failures = new Map<QueuedPod, FailureDraft>();

  constructor(index: SnapshotIndex, { pods, pools, gone }: Scope, queue: PodQueue) {
    const { options, resources, demands, census, lexicon, room } = index;
    const { sets, taints } = lexicon;
    this.#index = index;
    this.#queue = queue;
    this.#templates = index.templatesOf(pools);
    this.#topology = topologyOf(index, { pods, pools, gone });
    const goneNodes = new BitSet(index.nodes.open);
    for (const { index } of gone) goneNodes.add(index);
    this.#packer = new Packer({
      sets,
      taints,
      resources,
      demands,
      topology: this.#topology,
      reservations: new Reservations(pools.map((pool) => index.catalogueOf(pool).reservations)),
      existing: new ExistingField(room, census, sets, goneNodes),
      pools: this.#openPools(gone),
      hasPreferNoSchedule: pools.some(hasPreferNoSchedule),
      options,
    });
  }

  /** To be called for every class before the first pod is placed. */
  announce(podClass: PodClass): void {
    this.#packer.announce(podClass);
  }

  place(queued: QueuedPod): void {
    const failure = this.#packer.place(queued);
    if (failure === undefined) {
      this.#failures.delete(queued);
    } else {
      this.#failures.set(queued, failure);
      this.#queue.push(queued);
    }
  }

  *outcome(obstacles: ReadonlyMap<QueuedPod, Failure>): PlanRun {
    const { nodes } = this.#packer.planned;
    const { lexicon, options, resources } = this.#index;
    const { sets, taints } = lexicon;
    const newNodes: PlannedNode[] = [];
    const unschedulable: UnschedulablePod[] = [...obstacles].map(([{ pod }, failure]) => ({ pod, failure }));
    const tables = { sets, resources, options, typeLists: new TypeLists(options.maxInstanceTypes) };
    for (const node of nodes) {
      if (node.index % STEP === 0) yield placing(0);
      const finished = finishNode(node, tables);
      if (!('shortOf' in finished)) {
        newNodes.push(finished);
        continue;
      }
      const failure: Failure = { why: 'Truncated', nodePool: node.template.nodePool, labels: finished.shortOf };
      for (const { queued } of node.pods) unschedulable.push({ pod: queued.pod, failure });
    }
    const writer = new FailureWriter({
      sets,
      taints,
      topology: this.#topology,
      profile: options.profile,
      planned: nodes.length,
    });
    for (const [{ pod }, draft] of this.#failures) unschedulable.push({ pod, failure: writer.write(draft) });
    return {
      newNodes,
      existingNodes: this.#placements(),
      unschedulable,
      undecided: this.#queue
        .rest()
        .filter((queued) => !this.#failures.has(queued))
        .map(({ pod }) => pod),
      unusablePools: this.#templates.map(({ template }) => template).filter(isUnusable),
      pricePerHour: newNodes.reduce((sum, { pricePerHour }) => sum + pricePerHour, 0),
    };
  }

  #placements(): readonly NodePlacement[] {
    return [...this.#packer.placedOn]
      .sort(([a], [b]) => a.index - b.index)
      .map(([node, pods]) => ({ node: node.source.name, pods: pods.map(toPlacedPod) }));
  }

  #openPools(gone: readonly ClusterNode[]): readonly OpenPool[] {
    const pools: OpenPool[] = [];
    for (const { pool, template } of this.#templates) {
      if (isUnusable(template)) continue;
      pools.push({ template, limits: this.#index.findLimits(pool, template, gone) });
    }
    return pools;
  }
}

function placing(waiting: number): Progress {
  return { phase: 'placing', waiting };
}

function topologyOf(index: SnapshotIndex, { pods, pools, gone }: Scope): Topology {
  const { census, guards, rules, ruleBook, lexicon } = index;
  const moving = new Set(pods.map(({ pod }) => index.pods.find(pod)).filter((bound) => bound !== undefined));
  const base = { census, guards, rules, ruleBook, domains: lexicon.domains, universe: index.universeOf(pools) };
  return new Topology(base, moving, gone, { nameOf: placeholderOf });
}

function isUnusable(template: NodeTemplate | UnusablePool): template is UnusablePool {
  return 'minValuesUnmet' in template;
}

function hasPreferNoSchedule({ nodePool }: Pool): boolean {
  return nodePool.spec.template.spec.taints?.some(({ effect }) => effect === 'PreferNoSchedule') === true;
}
