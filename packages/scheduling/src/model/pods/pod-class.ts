import type { Pod } from '@karpenter-ts/kubernetes';
import type { Constraints } from './constraints.ts';
import type { PodShape } from './pod-shape.ts';

/** What selectors can tell about a pod: its namespace, and those of its labels that some selector reads. */
export interface Identity {
  readonly id: number;
  readonly namespace: string;
  /** Of one of the pods; only labels that some selector refers to may be read. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Pods that topology treats alike, whatever their resource requests. */
export interface PodKind {
  readonly id: number;
  readonly constraints: Constraints;
  readonly identity: Identity;
}

/** Pods that differ in nothing but their names. */
export interface PodClass {
  readonly id: number;
  readonly shape: PodShape;
  readonly kind: PodKind;
  /** Whether nodes with `refusesMovedPods` refuse these pods. */
  readonly isMoved: boolean;
}

type Labels = Identity['labels'];

/** The classes of all pods read. */
export class PodClasses {
  readonly #podLabels: ReadonlySet<string>;
  readonly #identities = new Map<string, Identity>();
  /** By the object that holds the labels: pods of a workload often share it. */
  readonly #byLabels = new Map<Labels, Identity>();
  /** By constraints, then by identity. */
  readonly #kinds: Map<number, PodKind>[] = [];
  #kindCount = 0;
  /** By shape, then by kind; those of moved pods apart. */
  readonly #moved: Map<number, PodClass>[] = [];
  readonly #others: Map<number, PodClass>[] = [];
  #classCount = 0;

  constructor(podLabels: ReadonlySet<string>) {
    this.#podLabels = podLabels;
  }

  of(pod: Pod, shape: PodShape, isMoved: boolean): PodClass {
    const kind = this.#kindOf(shape.constraints, this.#identityOf(pod));
    const byShape = isMoved ? this.#moved : this.#others;
    byShape[shape.id] ??= new Map();
    const byKind = byShape[shape.id]!;
    let podClass = byKind.get(kind.id);
    if (podClass === undefined) {
      podClass = { id: this.#classCount++, shape, kind, isMoved };
      byKind.set(kind.id, podClass);
    }
    return podClass;
  }

  #kindOf(constraints: Constraints, identity: Identity): PodKind {
    this.#kinds[constraints.id] ??= new Map();
    const byIdentity = this.#kinds[constraints.id]!;
    let kind = byIdentity.get(identity.id);
    if (kind === undefined) {
      kind = { id: this.#kindCount++, constraints, identity };
      byIdentity.set(identity.id, kind);
    }
    return kind;
  }

  #identityOf({ metadata: { namespace = 'default', labels = NO_LABELS } }: Pod): Identity {
    const known = this.#byLabels.get(labels);
    if (known?.namespace === namespace) return known;
    let text = namespace;
    for (const key in labels) if (this.#podLabels.has(key)) text += ` ${key}=${labels[key]}`;
    let identity = this.#identities.get(text);
    if (identity === undefined) {
      identity = { id: this.#identities.size, namespace, labels };
      this.#identities.set(text, identity);
    }
    this.#byLabels.set(labels, identity);
    return identity;
  }
}

const NO_LABELS: Labels = {};
