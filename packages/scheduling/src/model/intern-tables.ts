import { TaintTable } from './pods/taints.ts';
import { VolumeObjects } from './pods/volume-objects.ts';
import { AmountReader, type Pod } from '@karpenter-ts/kubernetes';
import { type PodShape, PodShapes } from './pods/pod-shape.ts';
import { ReferencedLabels } from './pods/referenced-labels.ts';
import { RequirementSets } from './requirements/requirement-set.ts';
import { RequirementTable } from './requirements/requirement-table.ts';
import type { PlanningOptions, Snapshot } from '../snapshot.ts';
import { DomainTables } from './requirements/domains.ts';
import { Namespaces } from './pods/namespaces.ts';

/** The tables that give equal things one number, so that comparing them is comparing numbers. They only grow. */
export class InternTables {
  readonly options: PlanningOptions;
  readonly sets: RequirementSets;
  readonly taints = new TaintTable();
  readonly amounts = new AmountReader();
  readonly volumes: VolumeObjects;
  readonly namespaces: Namespaces;
  readonly referencedLabels: ReferencedLabels;
  readonly domains: DomainTables;
  readonly shapes: PodShapes;
  /** The resources some pod asks for. */
  readonly resources = new Set<string>();
  #constraintsRead = 0;

  constructor(snapshot: Snapshot, options: PlanningOptions) {
    const { profile, preferencePolicy } = options;
    const table = new RequirementTable();
    this.options = options;
    this.sets = new RequirementSets(table, profile.wellKnownLabels);
    this.volumes = new VolumeObjects(snapshot.volumes);
    this.namespaces = new Namespaces(snapshot.namespaces);
    this.referencedLabels = new ReferencedLabels(profile);
    this.domains = new DomainTables(table);
    this.shapes = new PodShapes({ ...this.#tables(), volumes: this.volumes, preferencePolicy });
  }

  /** The shape of a pod. Its namespace and the labels it refers to are known from here on. */
  read(pod: Pod): PodShape {
    this.namespaces.mention(pod.metadata.namespace ?? 'default');
    const known = this.shapes.all.length;
    const shape = this.shapes.of(pod);
    if (shape.id === known) this.#learn(shape);
    return shape;
  }

  #learn({ constraints, volumeNeeds, requests }: PodShape): void {
    for (const name of requests.keys()) this.resources.add(name);
    if (constraints.id === this.#constraintsRead) {
      this.referencedLabels.read(constraints.example);
      this.#constraintsRead++;
    }
    if (volumeNeeds.kind === 'missing') return;
    for (const requirements of volumeNeeds.alternatives) {
      for (const { key } of requirements) this.referencedLabels.addNodeLabel(key);
    }
  }

  #tables() {
    const { sets, taints, amounts, options } = this;
    return { sets, taints, amounts, profile: options.profile };
  }
}
