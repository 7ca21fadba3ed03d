import type { Json } from '@karpenter-ts/kubernetes';
import type { Problem } from '../../field-errors.ts';
import type { KubeObject } from '../../object.ts';
import type { ObjectLookup, Traits } from '../../strategy.ts';

/** What is specific to a built-in kind, besides its fields, their defaults and the validation of its structs. */
export interface KindRules {
  readonly traits?: Traits;
  /** What is wrong with a name; a DNS name unless told. `isPrefix` is for `generateName`. */
  readonly nameProblems?: (name: string, isPrefix: boolean) => readonly string[];
  /** Finalizers need no domain in front. */
  readonly plainFinalizers?: boolean;
  /** Paths a field selector may name. */
  readonly selectable?: readonly string[];
  /** Where the value of a selectable field is in the stored form, if elsewhere. */
  readonly storedPath?: (path: string) => string;
  /** The part whose change counts as a new generation. Kinds without one have no generations. */
  readonly generationOf?: (object: KubeObject) => Json | undefined;
  /** The status a new object gets; `sent` leaves the one that came with it. An empty one unless told. */
  readonly initialStatus?: 'sent' | ((object: KubeObject) => Json);
  readonly admit?: (object: KubeObject, old: KubeObject | undefined, lookup: ObjectLookup) => KubeObject;
  readonly prepareCreate?: (object: KubeObject) => KubeObject;
  readonly prepareUpdate?: (object: KubeObject, old: KubeObject) => KubeObject;
  readonly prepareStatus?: (object: KubeObject, old: KubeObject) => KubeObject;
  /** Beyond what its structs say of themselves. */
  readonly validate?: (object: KubeObject) => readonly Problem[];
  readonly validateCreate?: (object: KubeObject) => readonly Problem[];
  readonly validateUpdate?: (object: KubeObject, old: KubeObject) => readonly Problem[];
  readonly validateStatus?: (object: KubeObject, old: KubeObject) => readonly Problem[];
  readonly graceSeconds?: (object: KubeObject, asked: number | undefined) => number;
  /** What changes in an object that is deleted for the first time. Throws an ApiError when it may not be. */
  readonly prepareDelete?: (object: KubeObject, now: string) => KubeObject;
  /** Whether something besides finalizers keeps a deleted object. Until then, deleting it again changes nothing. */
  readonly isHeld?: (object: KubeObject) => boolean;
}
