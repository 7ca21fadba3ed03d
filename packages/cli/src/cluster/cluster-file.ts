// Cluster files: the objects of a cluster at one moment and a catalogue in one JSON document, to decide offline what the
// controller would do.
import type { NodeClaim, NodePool } from '@karpenter-ts/apis';
import {
  type ApiObject,
  goQuote,
  type Node,
  objectKey,
  type Pod,
  type PodDisruptionBudget,
} from '@karpenter-ts/kubernetes';
import type { CatalogueEntry } from '../fleet/fleet-snapshot.ts';
import {
  type DocumentKind,
  findRepeated,
  type Mistake,
  type ReadDocument,
  readDocument,
} from '../fleet/json-document.ts';
import { badQuantities, podQuantities, type QuantitiesAt } from '../fleet/quantity-fields.ts';
import { CLUSTER } from './cluster-schema.ts';
import { pendingProblem } from './pending-problem.ts';

/** The content of a cluster file that passed its schema: objects as an API server returns them. */
export interface ClusterContent {
  /** RFC 3339. */
  readonly now: string;
  readonly options?: ClusterOptions;
  readonly catalogue: readonly CatalogueEntry[];
  readonly nodePools: readonly NodePool[];
  readonly nodes?: readonly Node[];
  readonly nodeClaims?: readonly NodeClaim[];
  readonly boundPods?: readonly Pod[];
  /** Pending pods. */
  readonly pods?: readonly Pod[];
  /** One for each DaemonSet. */
  readonly daemonPods?: readonly Pod[];
  readonly pdbs?: readonly PodDisruptionBudget[];
  /** Names of Nodes on which pods are expected. */
  readonly nominated?: readonly string[];
  /** Names of Nodes whose deletion is decided. */
  readonly markedForDeletion?: readonly string[];
}

/** Settings of the controller that the file names; the others have their defaults. */
export interface ClusterOptions {
  readonly spotToSpotConsolidation?: boolean;
  readonly preferencePolicy?: 'Respect' | 'Ignore';
  readonly minValuesPolicy?: 'Strict' | 'BestEffort';
}

/** Cluster files as a kind of document. */
export const CLUSTER_FILE: DocumentKind<ClusterContent> = { name: 'cluster', resource: CLUSTER, findMistakes };

/** Reads a cluster file. What an API server would refuse is refused in its words. */
export function readCluster(text: string): ReadDocument<ClusterContent> {
  return readDocument(text, CLUSTER_FILE);
}

/**
 * The catalogue of a cluster or fleet file, or of a file that has nothing else. Undefined if the text is none of these,
 * but perhaps a file of another form.
 */
export function readCatalogueOf(text: string): ReadDocument<Pick<ClusterContent, 'catalogue'>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || !('catalogue' in value)) return undefined;
    const { catalogue } = value;
    return readDocument(JSON.stringify({ now: '2026-01-01T00:00:00Z', nodePools: [], catalogue }), CLUSTER_FILE);
  } catch {
    return undefined;
  }
}

function findMistakes(content: ClusterContent): readonly Mistake[] {
  return [
    ...findRepetitions(content),
    ...findUnknownNodes(content),
    ...findMisplacedPods(content),
    ...badQuantities(quantitiesOf(content)),
  ];
}

/** Results name pools, nodes and pods, and Nodes are joined to NodeClaims by provider id. */
function findRepetitions(content: ClusterContent): readonly Mistake[] {
  const { catalogue, nodes = [], nodeClaims = [], boundPods = [], pods = [] } = content;
  const podNames = new Set<string>();
  const named = (['nodePools', 'nodes', 'nodeClaims', 'daemonPods', 'pdbs'] as const).flatMap((field) => {
    const objects: readonly ApiObject[] = content[field] ?? [];
    return findRepeated(objects.map(keyOf), (index) => [field, index, 'metadata', 'name']);
  });
  return [
    ...findRepeated(
      catalogue.map(({ name }) => name),
      (index) => ['catalogue', index, 'name'],
    ),
    ...named,
    ...findRepeated(boundPods.map(keyOf), (index) => ['boundPods', index, 'metadata', 'name'], podNames),
    ...findRepeated(pods.map(keyOf), (index) => ['pods', index, 'metadata', 'name'], podNames),
    ...findRepeatedIds(
      nodes,
      (index) => ['nodes', index, 'spec', 'providerID'],
      ({ spec }) => spec?.providerID,
    ),
    ...findRepeatedIds(
      nodeClaims,
      (index) => ['nodeClaims', index, 'status', 'providerID'],
      ({ status }) => status?.providerID,
    ),
  ];
}

/** Objects without an id have none to share. */
function findRepeatedIds<T>(
  objects: readonly T[],
  pathTo: (index: number) => Mistake['path'],
  idOf: (object: T) => string | undefined,
): readonly Mistake[] {
  const identified = objects.flatMap((object, index) => {
    const id = idOf(object);
    return id ? [{ id, index }] : [];
  });
  return findRepeated(
    identified.map(({ id }) => id),
    (at) => pathTo(identified[at]!.index),
  );
}

/** Two objects of a namespaced kind may share a name in different namespaces. */
function keyOf({ metadata }: ApiObject): string {
  const { name, namespace } = metadata;
  return namespace === undefined || namespace === 'default' ? name : objectKey({ name, namespace });
}

function findUnknownNodes({ nodes = [], nominated = [], markedForDeletion = [] }: ClusterContent): readonly Mistake[] {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const unknownIn = (field: string, names: readonly string[]): readonly Mistake[] =>
    names.flatMap((name, index) =>
      known.has(name) ? [] : [{ path: [field, index], message: `Not found: ${goQuote(name)}: no Node has this name` }],
    );
  return [...unknownIn('nominated', nominated), ...unknownIn('markedForDeletion', markedForDeletion)];
}

function findMisplacedPods({ boundPods = [], pods = [] }: ClusterContent): readonly Mistake[] {
  const unbound = boundPods.flatMap(({ spec }, index): readonly Mistake[] =>
    spec.nodeName ? [] : [{ path: ['boundPods', index, 'spec', 'nodeName'], message: 'Required value' }],
  );
  const notPending = pods.flatMap((pod, index): readonly Mistake[] => {
    const problem = pendingProblem(pod);
    return problem === undefined ? [] : [{ path: ['pods', index, ...problem.path], message: problem.message }];
  });
  return [...unbound, ...notPending];
}

function quantitiesOf(content: ClusterContent): readonly QuantitiesAt[] {
  const { catalogue, nodePools, nodes = [], nodeClaims = [], boundPods = [], pods = [], daemonPods = [] } = content;
  const ofPods = (field: string, list: readonly Pod[]): readonly QuantitiesAt[] =>
    list.flatMap((pod, index) => podQuantities(pod, [field, index, 'spec']));
  const ofStatus = (field: string, list: readonly (Node | NodeClaim)[]): readonly QuantitiesAt[] =>
    list.flatMap(({ status }, index): QuantitiesAt[] => [
      [[field, index, 'status', 'capacity'], status?.capacity],
      [[field, index, 'status', 'allocatable'], status?.allocatable],
    ]);
  return [
    ...catalogue.flatMap(({ capacity, overhead }, index): QuantitiesAt[] => [
      [['catalogue', index, 'capacity'], capacity],
      [['catalogue', index, 'overhead'], overhead],
    ]),
    ...nodePools.map(
      ({ spec }, index): QuantitiesAt => [['nodePools', index, 'spec', 'limits'], spec.limits, 'signed'],
    ),
    ...ofStatus('nodes', nodes),
    ...ofStatus('nodeClaims', nodeClaims),
    ...ofPods('boundPods', boundPods),
    ...ofPods('pods', pods),
    ...ofPods('daemonPods', daemonPods),
  ];
}
