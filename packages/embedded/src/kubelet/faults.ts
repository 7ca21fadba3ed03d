import type { ObjectCondition } from '@karpenter-ts/kubernetes';

/** A fault of a node or its kubelet. */
export type Fault =
  /** The node exists, but its kubelet never starts. It has no effect on a node that is already ready. */
  | { readonly kind: 'never-ready' }
  /** The kubelet is unreachable: it renews no lease, posts no status and stops no pods. */
  | { readonly kind: 'lost' }
  /** Its pods take this long to stop, or their whole grace period if that is shorter. */
  | { readonly kind: 'slow-drain'; readonly delay: number }
  /** The kubelet reports a condition itself, such as `Ready: False` or one of a node problem detector. */
  | {
      readonly kind: 'unhealthy';
      readonly condition: Required<Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>>;
    };

/**
 * Injects faults into nodes, for tests and simulations. It is no part of the API, so that no object can cause a fault
 * in somebody's cluster. A node can be named before it exists.
 */
export class Faults {
  readonly #faults = new Map<string, readonly Fault[]>();
  readonly #listeners: ((node: string) => void)[] = [];

  /** Adds faults to those a node has already. */
  inject(node: string, ...faults: readonly Fault[]): void {
    this.#faults.set(node, [...this.of(node), ...faults]);
    this.#tell(node);
  }

  /** Removes all faults: the kubelet continues in the state it should have by now. */
  heal(node: string): void {
    this.#faults.delete(node);
    this.#tell(node);
  }

  of(node: string): readonly Fault[] {
    return this.#faults.get(node) ?? [];
  }

  has(node: string, kind: Fault['kind']): boolean {
    return this.of(node).some((fault) => fault.kind === kind);
  }

  /** Calls `listener` for every node whose faults change. */
  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  #tell(node: string): void {
    for (const listener of this.#listeners) listener(node);
  }
}
