import type { Flavour } from '../kinds/restricted-labels.ts';
import type { JsonObject } from '@karpenter-ts/kubernetes';

/** A refused object and a part of the server's message that says why. */
export type Refusal = readonly [object: JsonObject, message: string];

/** Several objects refused for one reason. */
export function because(message: string, ...objects: readonly JsonObject[]): readonly Refusal[] {
  return objects.map((object) => [object, message]);
}

/** An update: what is stored, what is sent, and why it is refused if it is. */
export interface UpdateCase {
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly refused?: string;
}

/**
 * A numbered case of the spec as data, so that the same objects go through our validator (`npm test`) and through a real
 * API server (`npm run test:e2e`).
 */
export interface AdmissionCase {
  readonly id: string;
  readonly title: string;
  readonly flavour: Flavour;
  readonly accepted?: readonly JsonObject[];
  readonly refused?: readonly Refusal[];
  readonly updates?: readonly UpdateCase[];
}
