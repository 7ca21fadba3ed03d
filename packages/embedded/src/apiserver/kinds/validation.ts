import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { mapKey, type Problem } from '../field-errors.ts';
import { isJsonArray, isJsonObject } from '../json-value.ts';
import type { KubeObject } from '../object.ts';
import type { GoStruct, GoType } from './go-types.ts';
import { OTHER_RULES } from './rules/other-rules.ts';
import { POD_RULES } from './rules/pod-rules.ts';
import { SCHEDULING_RULES } from './rules/scheduling-rules.ts';
import { STORAGE_RULES } from './rules/storage-rules.ts';
import type { StructRule } from './rules/struct-rule.ts';
import { WORKLOAD_RULES, withClaimVolumes } from './rules/workload-rules.ts';

/** What structs have against their values, by name. Kinds add what only they know. */
const STRUCT_RULES: ReadonlyMap<string, StructRule> = new Map(
  [POD_RULES, SCHEDULING_RULES, WORKLOAD_RULES, STORAGE_RULES, OTHER_RULES].flatMap((rules) => Object.entries(rules)),
);

/** What structs mean by what is written: theirs is what their rules, and those below them, look at. */
const STRUCT_MEANINGS: ReadonlyMap<string, (written: JsonObject) => JsonObject> = new Map([
  ['apps.StatefulSetSpec', withClaimVolumes],
]);

/** What the rules of its structs have against an object, from the outside in. */
export function structProblems(object: KubeObject, type: GoStruct): readonly Problem[] {
  const problems: Problem[] = [];
  new Visit(problems).struct(object, type);
  return problems;
}

/** A walk through one object. The path grows and shrinks with it: most objects have no problem that would need one. */
class Visit {
  readonly #problems: Problem[];
  readonly #path: (string | number)[] = [];

  constructor(problems: Problem[]) {
    this.#problems = problems;
  }

  struct(written: JsonObject, type: GoStruct): void {
    const value = STRUCT_MEANINGS.get(type.name)?.(written) ?? written;
    for (const problem of STRUCT_RULES.get(type.name)?.(value, this.#path) ?? []) this.#problems.push(problem);
    for (const [name, below] of ruledFields(type)) this.#step(name, value[name], below);
  }

  #step(segment: string | number, value: Json | undefined, type: GoType): void {
    if (value === undefined || value === null) return;
    this.#path.push(segment);
    this.#value(value, type);
    this.#path.pop();
  }

  #value(value: Json, type: GoType): void {
    if (type.form === 'pointer') this.#value(value, type.to);
    else if (type.form === 'struct' && isJsonObject(value)) this.struct(value, type);
    else if (type.form === 'list' && isJsonArray(value)) {
      for (let index = 0; index < value.length; index++) this.#step(index, value[index], type.items);
    } else if (type.form === 'map' && isJsonObject(value)) {
      for (const key of Object.keys(value)) this.#step(mapKey(key), value[key], type.values);
    }
  }
}

const ruled = new Map<GoStruct, readonly (readonly [string, GoType])[]>();

/** The fields in which there is a rule somewhere: few, and they are asked for with every object. */
function ruledFields(type: GoStruct): readonly (readonly [string, GoType])[] {
  let fields = ruled.get(type);
  if (fields === undefined) {
    fields = [...type.fields].flatMap(([name, field]) => (hasRules(field.type) ? [[name, field.type] as const] : []));
    ruled.set(type, fields);
  }
  return fields;
}

const known = new Map<GoType, boolean>();

/** Whether there is a rule anywhere in values of this type: most have none, and need no visit. */
function hasRules(type: GoType): boolean {
  const found = known.get(type);
  if (found !== undefined) return found;
  known.set(type, false); // for types that refer to themselves
  const has = findRules(type);
  known.set(type, has);
  return has;
}

function findRules(type: GoType): boolean {
  switch (type.form) {
    case 'pointer':
      return hasRules(type.to);
    case 'list':
      return hasRules(type.items);
    case 'map':
      return hasRules(type.values);
    case 'struct':
      return STRUCT_RULES.has(type.name) || [...type.fields.values()].some((field) => hasRules(field.type));
    default:
      return false;
  }
}
