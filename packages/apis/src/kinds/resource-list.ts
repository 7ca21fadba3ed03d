import { map, type Schema } from '../schema/schema.ts';
import type { ValidationRule } from '../schema/structural.ts';
import { QUANTITY } from './patterns.ts';

/** Amounts by resource name. YAML may write them as numbers (`cpu: 4`) or as text (`cpu: 500m`). */
export type ResourceList = Readonly<Record<string, string | number>>;

const quantity: Schema<string | number> = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: QUANTITY,
  'x-kubernetes-int-or-string': true,
};

export function resourceList(description: string, rules?: readonly ValidationRule[]): Schema<ResourceList> {
  return map(description, quantity, rules && { rules });
}
