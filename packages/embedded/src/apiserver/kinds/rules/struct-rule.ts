import {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  type Json,
  type JsonObject,
  labelValueProblems,
  qualifiedNameProblems,
} from '@karpenter-ts/kubernetes';
import { duplicate, invalidValue, mapKey, notSupported, type Problem, required } from '../../field-errors.ts';
import { isJsonObject, isNumber } from '../../json-value.ts';
import { scalarText } from '../../object.ts';

/** Where a struct stands in its object. */
export type Path = readonly (string | number)[];

/** What speaks against a struct, wherever it stands. Its fields have the right types already. */
export type StructRule = (value: JsonObject, path: Path) => readonly Problem[];

/** Rules with the names of the structs they are about. */
export type StructRules = Readonly<Record<string, StructRule>>;

/** All of these. */
export const all =
  (...rules: readonly StructRule[]): StructRule =>
  (value, path) =>
    rules.flatMap((rule) => rule(value, path));

/** These fields must not be empty. */
export const needs =
  (...fields: readonly string[]): StructRule =>
  (value, path) =>
    fields.filter((field) => isEmpty(value[field])).map((field) => required([...path, field]));

function isEmpty(value: Json | undefined): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** These numbers, where they are, must not be below a bound. */
export const atLeast =
  (bound: 0 | 1, ...fields: readonly string[]): StructRule =>
  (value, path) =>
    fields.flatMap((field) => {
      const number = value[field];
      if (!isNumber(number) || Number(number) >= bound) return [];
      return [invalidValue([...path, field], number, `must be greater than ${bound === 0 ? 'or equal to 0' : 'zero'}`)];
    });

/** This number, where it is, must lie within bounds. */
export const within =
  (field: string, low: number, high: number): StructRule =>
  (value, path) => {
    const number = value[field];
    if (!isNumber(number) || (Number(number) >= low && Number(number) <= high)) return [];
    return [invalidValue([...path, field], number, `must be between ${low} and ${high}, inclusive`)];
  };

/** This text, where it is, must be one of a few. */
export const oneOf =
  (field: string, ...values: readonly string[]): StructRule =>
  (value, path) => {
    const text = value[field];
    if (text === undefined || text === null || values.includes(text as string)) return [];
    return [notSupported([...path, field], text, values)];
  };

/** The same, where empty text is as good as none. */
export const choice =
  (field: string, ...values: readonly string[]): StructRule =>
  (value, path) =>
    value[field] === '' ? [required([...path, field])] : oneOf(field, ...values)(value, path);

type Wrong = (text: string) => readonly string[];

/** This text, where it is, must have a form. */
export const shaped =
  (wrong: Wrong, ...fields: readonly string[]): StructRule =>
  (value, path) =>
    fields.flatMap((field) => {
      const text = value[field];
      if (typeof text !== 'string' || text === '') return [];
      return wrong(text).map((problem) => invalidValue([...path, field], text, problem));
    });

export const dnsLabel: Wrong = dns1123LabelProblems;
export const dnsName: Wrong = dns1123SubdomainProblems;

/** This must be a label's key, and be there. */
export const labelKey =
  (field: string): StructRule =>
  (value, path) => {
    const text = scalarText(value[field]);
    return qualifiedNameProblems(text).map((problem) => invalidValue([...path, field], text, problem));
  };

/** The problems of a map of labels; they name the map. */
export const labels =
  (field: string): StructRule =>
  (value, path) => {
    const map = value[field];
    if (!isJsonObject(map)) return [];
    return Object.entries(map).flatMap(([key, text]) => [
      ...qualifiedNameProblems(key).map((problem) => invalidValue([...path, field], key, problem)),
      ...labelValueProblems(text as string).map((problem) => invalidValue([...path, field], text!, problem)),
    ]);
  };

/** The items of a list must differ in a field. */
export const unique =
  (list: string, key: string): StructRule =>
  (value, path) => {
    const seen = new Set<Json | undefined>();
    return itemsOf(value, list).flatMap((item, index) => {
      const isRepeated = seen.has(item[key]);
      seen.add(item[key]);
      return isRepeated ? [duplicate([...path, list, index, key], item[key] ?? '')] : [];
    });
  };

/** The objects in a list. */
export function itemsOf(value: JsonObject, list: string): readonly JsonObject[] {
  const items = value[list];
  return Array.isArray(items) ? (items as readonly Json[]).filter(isJsonObject) : [];
}

/** The entries of a map, with the places of their values. */
export function entriesOf(value: JsonObject, map: string, path: Path): readonly (readonly [string, string, Path])[] {
  const entries = value[map];
  if (!isJsonObject(entries)) return [];
  return Object.entries(entries).map(([key, text]) => [key, text as string, [...path, map, mapKey(key)]]);
}
