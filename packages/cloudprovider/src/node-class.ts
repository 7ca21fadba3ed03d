import type { Condition, ConditionRules, ObjectMeta, ResourceType } from '@karpenter-ts/kubernetes';
import { Informer, type InformerOptions } from '@karpenter-ts/runtime';

/** What the controllers read of any provider's NodeClass. */
export interface NodeClass {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: ObjectMeta;
  readonly status?: { readonly conditions?: readonly Condition[] | undefined } | undefined;
}

/** A kind of NodeClass. `T` is the type of its objects; no field has that type. */
export interface NodeClassKind<T extends NodeClass = NodeClass> extends ResourceType {
  /** The conditions that the provider keeps. If they are named, their changes show in events and metrics. */
  readonly conditions?: (settings: NodeClassSettings) => ConditionRules<string>;
  /** Never set. It ties the type of the objects to the kind. */
  readonly object?: T;
}

/** What decides which conditions a NodeClass has. */
interface NodeClassSettings {
  /** Whether capacity reservations are used. */
  readonly reservedCapacity: boolean;
}

/** Which NodeClass a NodePool or a NodeClaim refers to. */
export interface NodeClassKey {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

/** The key under which the index `nodeClass` of the caches holds NodeClaims and NodePools. */
export function nodeClassKey({ group, kind, name }: NodeClassKey): string {
  return `${group}/${kind}/${name}`;
}

/** Caches of the NodeClasses of all kinds that a provider understands. */
export class NodeClassCaches {
  /** In the provider's order. */
  readonly kinds: readonly NodeClassKind[];
  /** One for each kind, in their order. */
  readonly all: readonly Informer<NodeClass>[];

  constructor(kinds: readonly NodeClassKind[], options: Omit<InformerOptions<NodeClass, never>, 'type'>) {
    this.kinds = kinds;
    this.all = kinds.map((type) => new Informer<NodeClass>({ ...options, type }));
  }

  /** The cache of one kind, with the type of its objects. Throws if the provider did not name this kind. */
  of<T extends NodeClass>(kind: NodeClassKind<T>): Informer<T> {
    const cache = this.#findCache(kind);
    if (cache === undefined) throw new Error(`the provider did not name the NodeClass ${kind.kind}.${kind.group}`);
    return cache as unknown as Informer<T>; // the kind carries the type of its objects
  }

  /** The NodeClass that is referred to; undefined if there is none, or if the provider does not know its kind. */
  find(key: NodeClassKey): NodeClass | undefined {
    return this.#findCache(key)?.get(key.name);
  }

  #findCache({ group, kind }: { readonly group: string; readonly kind: string }): Informer<NodeClass> | undefined {
    return this.all.find(({ type }) => type.group === group && type.kind === kind);
  }
}
