import { map, type Schema } from '../schema/schema.ts';
import type { ResourceList, ValidationRule } from '@karpenter-ts/kubernetes';
import { QUANTITY } from './patterns.ts';

const quantity: Schema<string | number> = {
  anyOf: [{ type: 'integer' }, { type: 'string' }],
  pattern: QUANTITY,
  'x-kubernetes-int-or-string': true,
};

export function resourceList(description: string, rules?: readonly ValidationRule[]): Schema<ResourceList> {
  return map(description, quantity, rules && { rules });
}
