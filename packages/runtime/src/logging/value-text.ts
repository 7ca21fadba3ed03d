import { inspect } from 'node:util';
import { formatDuration, objectKey, type ObjectRef } from '@karpenter-ts/kubernetes';

/** Formats a value within a sentence, as Go's `%v` does with common ones: `text`, `3`, `ns/name`, `[a b]`. */
export function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(' ')}]`;
  if (typeof value !== 'object' || value === null || hasOwnText(value)) return String(value);
  try {
    return JSON.stringify(value);
  } catch {
    return inspect(value, { breakLength: Infinity }); // a cyclic object or a bigint
  }
}

/** A reference to an object: `{"name":…,"namespace":…}` in JSON, `namespace/name` in a sentence. */
export class LoggedRef {
  readonly name: string;
  readonly namespace?: string;

  constructor({ name, namespace }: ObjectRef) {
    this.name = name;
    if (namespace) this.namespace = namespace;
  }

  toString(): string {
    return objectKey(this);
  }
}

/** Formats milliseconds as log lines show them: `1.5s`, `2m0s`. */
export function durationText(milliseconds: number): string {
  return formatDuration(BigInt(Math.round(milliseconds * 1e6)));
}

/** The first names of a list, and the number of further ones: `a, b and 3 other(s)`. */
export function nameList(names: readonly string[], max: number): string {
  const shown = names.slice(0, max).join(', ');
  return names.length > max ? `${shown} and ${names.length - max} other(s)` : shown;
}

function hasOwnText(value: object): boolean {
  return value instanceof Error || ('toString' in value && value.toString !== Object.prototype.toString);
}
