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

/** The classes of all pods read. */
export class PodClasses {
  readonly #podLabels: ReadonlySet<string>;
  readonly #identities = new Map<string, Identity>();
  readonly #kinds = new Map<string, PodKind>();
  readonly #byText = new Map<string, PodClass>();

  constructor(podLabels: ReadonlySet<string>) {
    this.#podLabels = podLabels;
  }

  of(pod: Pod, shape: PodShape, isMoved: boolean): PodClass {
    const kind = this.#kindOf(shape.constraints, this.#identityOf(pod));
    const text = `${shape.id} ${kind.id} ${isMoved}`;
    let podClass = this.#byText.get(text);
    if (podClass === undefined) {
      podClass = { id: this.#byText.size, shape, kind, isMoved };
      this.#byText.set(text, podClass);
    }
    return podClass;
  }

  #kindOf(constraints: Constraints, identity: Identity): PodKind {
    const text = `${constraints.id} ${identity.id}`;
    let kind = this.#kinds.get(text);
    if (kind === undefined) {
      kind = { id: this.#kinds.size, constraints, identity };
      this.#kinds.set(text, kind);
    }
    return kind;
  }

  #identityOf({ metadata: { namespace = 'default', labels = {} } }: Pod): Identity {
    let text = namespace;
    for (const key in labels) if (this.#podLabels.has(key)) text += ` ${key}=${labels[key]}`;
    let identity = this.#identities.get(text);
    if (identity === undefined) {
      identity = { id: this.#identities.size, namespace, labels };
      this.#identities.set(text, identity);
    }
    return identity;
  }
}
