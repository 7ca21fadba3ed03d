// A guide: the manifests of one topic, and what has become of them in a cluster.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EC2NodeClass, INSTANCE_TAGGED, NODE_CLAIMS, NODE_POOLS, type NodeClaim } from '@karpenter-ts/apis';
import { readManifests } from '@karpenter-ts/apis/manifests';
import type { Ec2Instance, Emulator } from '@karpenter-ts/aws-emulator';
import {
  type ApiObject,
  DEPLOYMENTS,
  type Deployment,
  isTrue,
  type Node,
  NODES,
  type Pod,
  PODS,
  READY,
  type ResourceType,
} from '@karpenter-ts/kubernetes';
import { type Client, unlessGone } from '@karpenter-ts/runtime';

const EC2_NODE_CLASSES: ResourceType = {
  group: 'karpenter.k8s.aws',
  version: 'v1',
  plural: 'ec2nodeclasses',
  kind: 'EC2NodeClass',
  namespaced: false,
};

const FOLDER = join(import.meta.dirname, 'manifests');
const TYPES: readonly ResourceType[] = [EC2_NODE_CLASSES, NODE_POOLS, DEPLOYMENTS];

export interface Guide {
  /** Of the file, and of its EC2NodeClass. */
  readonly name: string;
  readonly path: string;
  readonly objects: readonly GuideObject[];
  readonly pools: readonly string[];
  /** By the name of their Deployment. */
  readonly replicas: Readonly<Record<string, number>>;
}

interface GuideObject {
  readonly type: ResourceType;
  readonly object: ApiObject;
}

/** An instance that a guide has come to, and what is known of it. */
export interface LaunchedNode {
  readonly nodeClaim: NodeClaim;
  readonly node: Node;
  readonly instance: Ec2Instance;
  /** Of the guide. */
  readonly pods: readonly Pod[];
}

/** What a guide has come to, once all its pods run. */
export interface Outcome {
  readonly guide: Guide;
  readonly nodeClass: EC2NodeClass;
  /** In the order of the names of their types, those of one type by zone. */
  readonly nodes: readonly LaunchedNode[];
}

/** Those that run on a real control plane, too: all together on one, so none that needs settings of its own. */
export const ON_REAL_CONTROL_PLANE = [
  'al2023',
  'block-devices',
  'bottlerocket',
  'capacity-reservation',
  'custom-ami',
  'gpu',
  'graviton',
  'kubelet',
  'selectors',
  'split',
  'user-data-mime',
  'windows',
] as const;

/** The names of all guides. */
export function guideNames(): readonly string[] {
  return globSync('*.yaml', { cwd: FOLDER })
    .map((file) => file.slice(0, -'.yaml'.length))
    .sort();
}

export function readGuide(name: string): Guide {
  const path = join(FOLDER, `${name}.yaml`);
  const objects = readManifests(readFileSync(path, 'utf8')).map((manifest): GuideObject => {
    if ('problem' in manifest) throw new Error(`${path}: ${manifest.problem}`);
    const object = manifest.object as unknown as ApiObject & { readonly kind: string };
    const type = TYPES.find(({ kind }) => kind === object.kind);
    if (type === undefined) throw new Error(`${path}: no guide has a ${object.kind}`);
    const metadata = { ...object.metadata, ...(type.namespaced && { namespace: 'default' }) };
    return { type, object: { ...object, metadata } };
  });
  const namesOf = (wanted: ResourceType): readonly string[] =>
    objects.flatMap(({ type, object }) => (type === wanted ? [object.metadata.name] : []));
  const replicas = objects.flatMap(({ type, object }) =>
    type === DEPLOYMENTS ? [[object.metadata.name, (object as Deployment).spec?.replicas ?? 1] as const] : [],
  );
  return { name, path, objects, pools: namesOf(NODE_POOLS), replicas: Object.fromEntries(replicas) };
}

/** As `kubectl apply` does it the first time. */
export async function apply(client: Client, { objects }: Guide): Promise<void> {
  for (const { type, object } of objects) await client.create(type, object);
}

/** The outcome if all that the guide wants is there; else what is still missing. */
export async function findOutcome(client: Client, { ec2 }: Emulator, guide: Guide): Promise<Outcome | string> {
  const pods = await podsOf(client, guide);
  const wanted = Object.values(guide.replicas).reduce((sum, each) => sum + each, 0);
  const running = pods.filter(({ status }) => status?.phase === 'Running');
  if (running.length < wanted || pods.length > wanted) return `${running.length} of ${wanted} pods run`;
  const nodeClaims = await nodeClaimsOf(client, guide);
  const unready = nodeClaims.filter((each) => !isTrue(each, READY));
  if (unready.length > 0) return `${unready.length} NodeClaims are not ready`;
  const untagged = nodeClaims.filter(({ metadata }) => metadata.annotations?.[INSTANCE_TAGGED] !== 'true');
  if (untagged.length > 0) return `${untagged.length} instances have not been tagged`;
  const nodes = await Promise.all(
    nodeClaims.map(async (nodeClaim): Promise<LaunchedNode> => {
      const node = await client.get<Node>(NODES, { name: nodeClaim.status!.nodeName! });
      const instance = ec2.findInstance(nodeClaim.status!.providerID!.split('/').at(-1)!)!;
      return { nodeClaim, node, instance, pods: pods.filter(({ spec }) => spec.nodeName === node.metadata.name) };
    }),
  );
  const nodeClass = await client.get<EC2NodeClass>(EC2_NODE_CLASSES, { name: guide.name });
  return { guide, nodeClass, nodes: nodes.sort((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1)) };
}

function orderOf({ instance }: LaunchedNode): string {
  return `${instance.instanceType} ${instance.zone.name} ${instance.id}`;
}

async function nodeClaimsOf(client: Client, { pools }: Guide): Promise<readonly NodeClaim[]> {
  const { items } = await client.listAll<NodeClaim>(NODE_CLAIMS);
  return items.filter(({ metadata }) => pools.includes(metadata.labels?.['karpenter.sh/nodepool'] ?? ''));
}

async function podsOf(client: Client, { replicas }: Guide): Promise<readonly Pod[]> {
  const { items } = await client.listAll<Pod>(PODS, { namespace: 'default' });
  return items.filter(({ metadata }) => (metadata.labels?.['app'] ?? '') in replicas);
}

/** Deletes everything of a guide, the workload first. */
export async function remove(client: Client, { objects }: Guide): Promise<void> {
  for (const { type, object } of objects.toReversed()) {
    await unlessGone(client.delete(type, object.metadata));
  }
}

/** True once nothing is left of a guide in the cluster, and no instance. */
export async function isGone(client: Client, { ec2 }: Emulator, guide: Guide): Promise<boolean> {
  const left = await Promise.all(guide.objects.map(({ type, object }) => exists(client.get(type, object.metadata))));
  if (left.some(Boolean) || (await nodeClaimsOf(client, guide)).length > 0) return false;
  if ((await podsOf(client, guide)).length > 0) return false;
  return ec2
    .instances()
    .every(
      ({ tags, state }) => state === 'terminated' || !guide.pools.includes(tags.get('karpenter.sh/nodepool') ?? ''),
    );
}

async function exists(asked: Promise<unknown>): Promise<boolean> {
  return (await unlessGone(asked)) !== undefined;
}
