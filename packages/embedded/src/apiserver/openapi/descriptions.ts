import type { GoStruct } from '../kinds/go-types.ts';
import { CLUSTER_DESCRIPTIONS } from './cluster-descriptions.ts';
import { POD_DESCRIPTIONS } from './pod-descriptions.ts';
import { WORKLOAD_DESCRIPTIONS } from './workload-descriptions.ts';

/** What `kubectl explain` says, by struct and field; '' is the struct itself. */
export type Descriptions = Readonly<Record<string, Readonly<Record<string, string>>>>;

const DESCRIPTIONS: Descriptions = { ...CLUSTER_DESCRIPTIONS, ...POD_DESCRIPTIONS, ...WORKLOAD_DESCRIPTIONS };

/** Of the members that every object has. */
export const OBJECT_DESCRIPTIONS: Readonly<Record<string, string>> = {
  apiVersion: 'Version of the API this object is written in.',
  kind: 'Kind of this object.',
  metadata: 'Its name, labels and the like.',
};

/** What is to be said of a struct, or of one of its fields. Rarely used ones have no description. */
export function findDescription(struct: GoStruct, field = ''): string | undefined {
  return DESCRIPTIONS[struct.name]?.[field] ?? (struct.fields.has('metadata') ? OBJECT_DESCRIPTIONS[field] : undefined);
}
