import { type JsonObject, memberOf } from '@karpenter-ts/kubernetes';
import { findBuiltin } from '../kinds/builtin.ts';
import { type KubeObject, textAt } from '../object.ts';
import type { ServedResource } from '../resources.ts';
import { CLUSTER_COLUMNS } from './cluster-columns.ts';
import { type Cell, type Column, DEFAULT_COLUMNS } from './column.ts';
import { customColumns } from './custom-columns.ts';
import { POD_COLUMNS } from './pod-columns.ts';
import { STORAGE_COLUMNS } from './storage-columns.ts';
import { WORKLOAD_COLUMNS } from './workload-columns.ts';

/** What a row tells of its object besides the cells; Metadata unless the request asks otherwise. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

/** How kubectl gets objects to show: `kind: Table` of meta.k8s.io/v1, without the metadata of the list. */
export interface Table {
  readonly columnDefinitions: readonly Omit<Column, 'cell'>[];
  readonly rows: readonly Row[];
}

interface Row {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly JsonObject[];
  readonly object?: JsonObject;
}

/** The table of some objects of a resource, at an instant. */
export function toTable(
  resource: ServedResource,
  objects: readonly KubeObject[],
  { now, include = 'Metadata' }: { readonly now: number; readonly include?: IncludeObject },
): Table {
  const columns = columnsOf(resource);
  return {
    columnDefinitions: columns.map(definitionOf),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, now)),
      ...conditionsOf(resource, object),
      ...included(object, include),
    })),
  };
}

function definitionOf({ name, type, format, description, priority }: Column): Omit<Column, 'cell'> {
  return { name, type, format, description, priority };
}

const BUILTIN_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  ...CLUSTER_COLUMNS,
  ...STORAGE_COLUMNS,
  ...WORKLOAD_COLUMNS,
  Pod: POD_COLUMNS,
};

function columnsOf({ group, version, plural, kind, columns }: ServedResource): readonly Column[] {
  if (findBuiltin(group, version, plural) === undefined) return customColumns(columns);
  return BUILTIN_COLUMNS[kind] ?? DEFAULT_COLUMNS;
}

const COMPLETED: Readonly<Record<string, string>> = {
  Succeeded: 'The pod has completed successfully.',
  Failed: 'The pod failed.',
};

/** Marks the rows of pods that have ended. */
function conditionsOf({ group, kind }: ServedResource, object: KubeObject): Pick<Row, 'conditions'> {
  const reason = textAt(object, 'status', 'phase');
  const message = group === '' && kind === 'Pod' ? memberOf(COMPLETED, reason) : undefined;
  return message === undefined ? {} : { conditions: [{ type: 'Completed', status: 'True', reason, message }] };
}

function included(object: KubeObject, include: IncludeObject): Pick<Row, 'object'> {
  if (include === 'None') return {};
  if (include === 'Object') return { object };
  return { object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: object.metadata } };
}
