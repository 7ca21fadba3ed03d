import type { FieldPath } from '@karpenter-ts/apis';
import { readManifests, readObjects } from '@karpenter-ts/apis/manifests';
import { isJsonObject, type JsonObject } from '@karpenter-ts/kubernetes';
import { examineContent, fieldName, type Mistake } from '../fleet/json-document.ts';
import type { ReadFile } from '../io.ts';
import { CLUSTER_FILE, type ClusterContent } from './cluster-file.ts';
import { MOST_REPLICAS, readWorkload, textIn } from './workload-pods.ts';

/** The objects of manifests as the content of a cluster file, or what is wrong with them. */
export type ManifestCluster =
  | { readonly content: ClusterContent; readonly notes: readonly string[] }
  | { readonly problems: readonly string[] };

type Position = { readonly line: number; readonly column: number };
type Field = 'nodePools' | 'nodes' | 'nodeClaims' | 'boundPods' | 'pods' | 'daemonPods' | 'pdbs';

/** An object of a manifest, and where its fields stand. */
interface Placed {
  readonly object: JsonObject;
  readonly file: string;
  locate(path: FieldPath): Position;
}

/** Kinds that say something about a cluster, and under which field of a cluster file they are found. */
const FIELDS: ReadonlyMap<string, Field> = new Map([
  ['Node', 'nodes'],
  ['NodePool', 'nodePools'],
  ['NodeClaim', 'nodeClaims'],
  ['Pod', 'pods'],
  ['PodDisruptionBudget', 'pdbs'],
]);

/** Reads manifests: NodePools and NodeClaims, Nodes, pods, the workloads that pods are made from, and their budgets. */
export function readManifestCluster(files: readonly ReadFile[], rest: Pick<ClusterContent, 'now'>): ManifestCluster {
  const builder = new ClusterBuilder();
  for (const file of files) builder.addFile(file);
  return builder.build(rest);
}

class ClusterBuilder {
  readonly #placed: Record<Field, Placed[]> = {
    nodePools: [],
    nodes: [],
    nodeClaims: [],
    boundPods: [],
    pods: [],
    daemonPods: [],
    pdbs: [],
  };
  readonly #workloads: Placed[] = [];
  readonly #problems: string[] = [];
  readonly #notes: string[] = [];

  addFile(file: ReadFile): void {
    if ('problem' in file) {
      this.#problems.push(`${file.name}:1:1: error: ${file.problem}`);
      return;
    }
    const manifests = readManifests(file.text);
    if (manifests.length === 0) this.#problems.push(`${file.name}:1:1: error: holds no object`);
    const checked = manifests.some(isOurs) ? readObjects(file) : [];
    for (const [index, manifest] of manifests.entries()) {
      if ('problem' in manifest) this.#say({ file: file.name, at: manifest.position }, manifest.problem);
      else if (isOurs(manifest)) this.#addOurs(file.name, checked[index]!);
      else this.#add({ object: manifest.object, file: file.name, locate: manifest.locate });
    }
  }

  build(rest: Pick<ClusterContent, 'now'>): ManifestCluster {
    this.#splitPods();
    this.#expandWorkloads();
    if (this.#problems.length > 0) return { problems: this.#problems };
    const lists = Object.entries(this.#placed).map(([field, list]) => [field, list.map(({ object }) => object)]);
    const examined = examineContent({ ...rest, catalogue: [], ...Object.fromEntries(lists) }, CLUSTER_FILE);
    if ('content' in examined) return { content: examined.content, notes: this.#notes };
    for (const mistake of examined.mistakes) this.#sayMistake(mistake);
    return { problems: [...new Set(this.#problems)] };
  }

  #addOurs(file: string, { checked, object, locate }: ReturnType<typeof readObjects>[number]): void {
    for (const { field, message, ...at } of checked.errors) {
      this.#say({ file, at }, field === '' ? message : `${field}: ${message}`);
    }
    if (object === undefined || locate === undefined) return;
    const placed = FIELDS.get(checked.kind);
    if (placed !== undefined) this.#placed[placed].push({ object, file, locate });
  }

  #add(placed: Placed): void {
    const kind = textIn(placed.object, 'kind');
    const field = FIELDS.get(kind);
    if (field !== undefined) this.#placed[field].push(placed);
    else if (kind === 'DaemonSet') this.#addDaemonSet(placed);
    else if (readWorkload(placed.object) !== undefined) this.#workloads.push(placed);
    else {
      const { line, column } = placed.locate([]);
      this.#notes.push(
        `${placed.file}:${line}:${column}: note: ${kind || 'an object without a kind'} says nothing about nodes`,
      );
    }
  }

  #addDaemonSet({ object, file, locate }: Placed): void {
    const { spec, metadata } = object;
    const template = isJsonObject(spec) && isJsonObject(spec['template']) ? spec['template'] : {};
    const ofTemplate = isJsonObject(template['metadata']) ? template['metadata'] : {};
    const own = isJsonObject(metadata) ? metadata : {};
    const pod = { metadata: { ...own, labels: ofTemplate['labels'] ?? {} }, spec: template['spec'] ?? null };
    const pathIn = (path: FieldPath): FieldPath => (path[0] === 'metadata' ? path : ['spec', 'template', ...path]);
    this.#placed.daemonPods.push({ object: pod, file, locate: (path) => locate(pathIn(path)) });
  }

  /** Pods on Nodes that are given run there. A pod on any other Node is left where it is, to be refused as pending. */
  #splitPods(): void {
    const nodes = new Set(this.#placed.nodes.map(({ object }) => nameOf(object)));
    const isBound = ({ object }: Placed): boolean => {
      const { spec } = object;
      return isJsonObject(spec) && typeof spec['nodeName'] === 'string' && nodes.has(spec['nodeName']);
    };
    this.#placed.boundPods.push(...this.#placed.pods.filter(isBound));
    this.#placed.pods = this.#placed.pods.filter((placed) => !isBound(placed));
  }

  /** Adds the pods of workloads that are not given themselves. */
  #expandWorkloads(): void {
    const given = ownersOf([...this.#placed.boundPods, ...this.#placed.pods]);
    for (const placed of this.#workloads) {
      const workload = readWorkload(placed.object)!;
      const { count } = workload;
      if (!Number.isInteger(count) || count < 0 || count > MOST_REPLICAS) {
        const path = ['spec', workload.kind === 'Job' ? 'parallelism' : 'replicas'];
        const message = `${fieldName(path)}: Invalid value: ${count}: must be an integer from 0 to ${MOST_REPLICAS}`;
        this.#say({ file: placed.file, at: placed.locate(path) }, message);
        continue;
      }
      if (isMadeByOther(placed.object)) continue;
      const there = given.get(`${workload.kind}/${workload.namespace}/${workload.name}`) ?? 0;
      for (let index = there; index < count; index++) {
        const locate = (path: FieldPath): Position => placed.locate(workload.pathInWorkload(path));
        this.#placed.pods.push({ object: workload.podAt(index), file: placed.file, locate });
      }
    }
  }

  #sayMistake({ path, message }: Mistake): void {
    const [field, index, ...inner] = path;
    const placed = this.#placed[field as Field]?.[Number(index)];
    if (placed === undefined) this.#problems.push(`error: ${fieldName(path)}: ${message}`);
    else this.#say({ file: placed.file, at: placed.locate(inner) }, `${fieldName(inner)}: ${message}`);
  }

  #say({ file, at: { line, column } }: { readonly file: string; readonly at: Position }, message: string): void {
    this.#problems.push(`${file}:${line}:${column}: error: ${message}`);
  }
}

/** Objects of our own kinds are checked by their CRDs, and have their defaults filled in. */
function isOurs(manifest: ReturnType<typeof readManifests>[number]): boolean {
  return 'object' in manifest && textIn(manifest.object, 'apiVersion').startsWith('karpenter.');
}

/** A ReplicaSet of a Deployment: that one is given as well, or should be. */
function isMadeByOther({ metadata }: JsonObject): boolean {
  const owners = isJsonObject(metadata) ? metadata['ownerReferences'] : undefined;
  return Array.isArray(owners) && owners.length > 0;
}

/** How many pods are there of each workload. A Deployment's pods belong to ReplicaSets that have its name and a hash. */
function ownersOf(pods: readonly Placed[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { object } of pods) {
    const { metadata } = object;
    const owners = isJsonObject(metadata) ? metadata['ownerReferences'] : undefined;
    const [owner] = Array.isArray(owners) ? owners : [];
    if (!isJsonObject(metadata) || !isJsonObject(owner)) continue;
    const namespace = textIn(metadata, 'namespace') || 'default';
    const name = textIn(owner, 'name');
    const keys = [`${textIn(owner, 'kind')}/${namespace}/${name}`];
    if (owner['kind'] === 'ReplicaSet') keys.push(`Deployment/${namespace}/${name.replace(/-[a-z0-9]+$/, '')}`);
    for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function nameOf({ metadata }: JsonObject): string {
  return isJsonObject(metadata) ? textIn(metadata, 'name') : '';
}
