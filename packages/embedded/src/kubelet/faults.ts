import type { ObjectCondition } from '@karpenter-ts/kubernetes';

/** What is wrong with a node, or its kubelet. */
export type Fault =
  /** The machine is there, but its kubelet never comes up. A node that is up already stays so. */
  | { readonly kind: 'never-ready' }
  /** Nothing is heard from it any more: no lease, no status, and nobody ends its pods. */
  | { readonly kind: 'lost' }
  /** Its pods take this long to stop, or their whole grace period if that is shorter. */
  | { readonly kind: 'slow-drain'; readonly delay: number }
  /** The kubelet says so itself: `Ready: False`, say, or a condition of somebody's health checks. */
  | {
      readonly kind: 'unhealthy';
      readonly condition: Required<Pick<ObjectCondition, 'type' | 'status' | 'reason' | 'message'>>;
    };

/**
 * What tests and simulations break, node by node. It is no part of the API, so that no object can bring it about in a
 * cluster that somebody else runs. A node can be named before it exists.
 */
export class Faults {
  readonly #faults = new Map<string, readonly Fault[]>();
  readonly #listeners: ((node: string) => void)[] = [];

  /** Breaks a node, in addition to what is broken already. */
  inject(node: string, ...faults: readonly Fault[]): void {
    this.#faults.set(node, [...this.of(node), ...faults]);
    this.#tell(node);
  }

  /** All is well again: the kubelet goes on where it should be by now. */
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

  /** From now on told of every node whose faults change. */
  onChange(listener: (node: string) => void): void {
    this.#listeners.push(listener);
  }

  #tell(node: string): void {
    for (const listener of this.#listeners) listener(node);
  }
}
