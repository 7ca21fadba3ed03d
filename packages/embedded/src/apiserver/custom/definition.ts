import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import type { PrinterColumn, Resource } from '@karpenter-ts/apis';
import { type KubeObject, listAt, objectAt, scalarText, textAt } from '../object.ts';
import type { ServedResource, Subresource, Verb } from '../resources.ts';

/** One version of a custom resource, as its definition has it. */
export interface CustomVersion {
  readonly served: ServedResource;
  /** The same as the validator wants it. */
  readonly resource: Resource;
  readonly hasStatus: boolean;
  /** Where objects are in the version that is stored. */
  readonly storageVersion: string;
  readonly scale: ScalePaths | undefined;
  readonly selectable: readonly string[];
}

/** Where a custom resource keeps its replicas. */
interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

/** The served versions of a CustomResourceDefinition. */
export function customVersions(definition: KubeObject): readonly CustomVersion[] {
  const versions = listAt(definition, 'spec', 'versions');
  const stored = versions.find(({ storage }) => storage === true) ?? {};
  return versions
    .filter(({ served }) => served === true)
    .map((version) => customVersion(definition, version, textAt(stored, 'name')));
}

function customVersion(definition: KubeObject, version: JsonObject, storageVersion: string): CustomVersion {
  const { status, scale } = objectAt(version, 'subresources') as {
    readonly status?: Json;
    readonly scale?: ScalePaths;
  };
  const served = servedResource(definition, version, {
    hasStatus: status !== undefined,
    hasScale: scale !== undefined,
  });
  const { group, version: name, kind, plural, shortNames, categories, namespaced, columns, schema } = served;
  return {
    served,
    resource: {
      group,
      version: name,
      kind,
      plural,
      shortNames,
      categories,
      scope: namespaced ? 'Namespaced' : 'Cluster',
      columns,
      schema,
      ...(scale && { scale }),
    },
    hasStatus: status !== undefined,
    storageVersion,
    scale,
    selectable: listAt(version, 'selectableFields').map(({ jsonPath }) => scalarText(jsonPath).replace(/^\./, '')),
  };
}

const VERBS: readonly Verb[] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const PART_VERBS: readonly Verb[] = ['get', 'patch', 'update'];

function servedResource(
  definition: KubeObject,
  version: JsonObject,
  parts: { readonly hasStatus: boolean; readonly hasScale: boolean },
): ServedResource {
  const spec = objectAt(definition, 'spec');
  const names = objectAt(spec, 'names');
  const [group, name, kind] = [textAt(spec, 'group'), textAt(version, 'name'), textAt(names, 'kind')];
  const subresources: Subresource[] = [];
  if (parts.hasStatus) subresources.push({ name: 'status', group, version: name, kind, verbs: PART_VERBS });
  if (parts.hasScale) {
    subresources.push({ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: PART_VERBS });
  }
  return {
    group,
    version: name,
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular'),
    kind,
    listKind: textAt(names, 'listKind'),
    shortNames: (names['shortNames'] ?? []) as readonly string[],
    categories: (names['categories'] ?? []) as readonly string[],
    namespaced: spec['scope'] === 'Namespaced',
    verbs: VERBS,
    subresources,
    columns: listAt(version, 'additionalPrinterColumns').map(printerColumn),
    schema: objectAt(version, 'schema', 'openAPIV3Schema'),
  };
}

function printerColumn({ priority, ...column }: JsonObject): PrinterColumn {
  return { ...(column as unknown as PrinterColumn), ...(Number(priority ?? 0) > 0 && { wide: true }) };
}
