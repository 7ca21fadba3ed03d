import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { Problem } from '../field-errors.ts';
import { isSameJson } from '../json-value.ts';
import { type KubeObject, type Metadata, mergeMetadata, scalarText } from '../object.ts';
import type { ServedResource } from '../resources.ts';
import { storageOf } from '../storage/objects.ts';
import type { Conversion, DecodedBody, Examined, ObjectLookup, Strategy, Traits } from '../strategy.ts';
import type { KindRules } from './behaviour/kind-rules.ts';
import { goTypeOf } from './builtin.ts';
import { decodeGo } from './go-decode.ts';
import { type GoStruct, goStruct } from './go-types.ts';
import { decodeKind } from './kind-decode.ts';
import { dnsNameProblems, metadataProblems } from './metadata.ts';
import { structProblems } from './validation.ts';

/**
 * The strategy of a built-in kind: it is decoded by the Go types of Kubernetes, and validated by the rules of the kind.
 */
export class GoStrategy implements Strategy {
  readonly resource: ServedResource;
  readonly traits: Traits;
  readonly storage: string;
  readonly errorKind: { readonly group: string; readonly kind: string };
  readonly selectable: ReadonlyMap<string, string>;
  readonly conversion: Conversion | undefined;
  /** The Go type of the kind, for strategic patches too. */
  readonly type: GoStruct;
  readonly #rules: KindRules;
  readonly #fieldKeys: readonly (readonly [string, readonly string[]])[]; // the paths of stored fields, cut
  readonly #hasStatus: boolean;

  constructor(resource: ServedResource, rules: KindRules, shared?: { readonly storage: string } & Conversion) {
    this.resource = resource;
    this.traits = rules.traits ?? {};
    this.storage = shared?.storage ?? storageOf(resource);
    const [group = resource.group] = this.storage.split('/'); // of the form that is stored, as the real server has it
    this.errorKind = { group, kind: resource.kind };
    this.conversion = shared;
    this.selectable = new Map((rules.selectable ?? []).map((path) => [path, rules.storedPath?.(path) ?? path]));
    this.#fieldKeys = [...this.selectable.values()].map((path) => [path, path.split('.')]);
    this.type = goStruct(goTypeOf(resource));
    this.#rules = rules;
    this.#hasStatus = resource.subresources.some(({ name }) => name === 'status');
  }

  decode(body: JsonObject, stored?: KubeObject): DecodedBody {
    return decodeKind(body, this.resource, this.type, this.conversion ? undefined : stored);
  }

  admit(object: KubeObject, old: KubeObject | undefined, lookup: ObjectLookup): KubeObject {
    return this.#rules.admit?.(object, old, lookup) ?? object;
  }

  create(object: KubeObject): Examined {
    const rules = this.#rules;
    const fresh = this.#hasStatus && rules.initialStatus !== 'sent' ? this.#withInitialStatus(object) : object;
    const versioned = rules.generationOf ? withGeneration(fresh, 1) : fresh;
    const next = rules.prepareCreate?.(versioned) ?? versioned;
    return { object: next, problems: [...this.#problems(next), ...(rules.validateCreate?.(next) ?? [])] };
  }

  update(object: KubeObject, old: KubeObject): Examined {
    const { generationOf, prepareUpdate, validateUpdate } = this.#rules;
    const kept = this.#hasStatus ? withMember(object, 'status', old['status']) : object;
    const prepared = prepareUpdate?.(kept, old) ?? kept;
    const isNewGeneration = generationOf && !isSameJson(generationOf(prepared), generationOf(old));
    const next = isNewGeneration ? withGeneration(prepared, (old.metadata.generation ?? 0) + 1) : prepared;
    return { object: next, problems: [...this.#problems(next, old), ...(validateUpdate?.(next, old) ?? [])] };
  }

  updateStatus(object: KubeObject, old: KubeObject): Examined {
    const kept = withMember({ ...old, metadata: object.metadata }, 'status', object['status']);
    const next = this.#rules.prepareStatus?.(kept, old) ?? kept;
    const problems = this.#metadataProblems(next, old);
    return { object: next, problems: [...problems, ...(this.#rules.validateStatus?.(next, old) ?? [])] };
  }

  fieldsOf(stored: KubeObject): Readonly<Record<string, string>> | undefined {
    if (this.selectable.size === 0) return undefined;
    const fields: Record<string, string> = {};
    for (const [path, keys] of this.#fieldKeys) fields[path] = fieldText(stored, path, keys);
    return fields;
  }

  graceSeconds(object: KubeObject, asked: number | undefined): number | undefined {
    return this.#rules.graceSeconds?.(object, asked);
  }

  prepareDelete(object: KubeObject, now: string): KubeObject {
    return this.#rules.prepareDelete?.(object, now) ?? object;
  }

  isFinal(object: KubeObject): boolean {
    return !object.metadata.finalizers?.length && !this.isHeld(object);
  }

  isHeld(object: KubeObject): boolean {
    return this.#rules.isHeld?.(object) ?? false;
  }

  #withInitialStatus(object: KubeObject): KubeObject {
    const { initialStatus } = this.#rules;
    if (typeof initialStatus === 'function') return withMember(object, 'status', initialStatus(object));
    return withMember(object, 'status', decodeGo({}, this.type).object['status']);
  }

  #problems(object: KubeObject, old?: KubeObject): readonly Problem[] {
    return [
      ...this.#metadataProblems(object, old),
      ...structProblems(object, this.type),
      ...(this.#rules.validate?.(object) ?? []),
    ];
  }

  /** Metadata that has not changed is not validated again. */
  #metadataProblems({ metadata }: KubeObject, old: KubeObject | undefined): readonly Problem[] {
    if (old !== undefined && CHECKED.every((part) => metadata[part] === old.metadata[part])) return [];
    const { nameProblems = dnsNameProblems, plainFinalizers = false } = this.#rules;
    return metadataProblems(metadata, { namespaced: this.resource.namespaced, nameProblems, plainFinalizers });
  }
}

/** All of metadata that has rules. */
const CHECKED = [
  'name',
  'generateName',
  'namespace',
  'generation',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
] as const;

function withGeneration(object: KubeObject, generation: number): KubeObject {
  const metadata: Metadata = mergeMetadata(object.metadata, { generation });
  return { ...object, metadata };
}

function withMember(object: KubeObject, name: string, value: Json | undefined): KubeObject {
  const { [name]: _, ...rest } = object;
  return (value === undefined ? rest : { ...rest, [name]: value }) as KubeObject;
}

/** Flags that are not written are false. */
const FLAGS: ReadonlySet<string> = new Set(['spec.unschedulable', 'spec.hostNetwork']);

function fieldText(object: JsonObject, path: string, keys: readonly string[]): string {
  let at: Json | undefined = object;
  for (const key of keys) at = (at as JsonObject | undefined)?.[key];
  return scalarText(at) || (FLAGS.has(path) ? 'false' : '');
}
