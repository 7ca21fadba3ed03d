// Small objects for tests: each has what the API server demands and what the test is about.
import { NODEPOOL_LABEL, type NodeClaim, type NodePool, nodeClassLabel, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import type { Node, Pod, ResourceType } from '@karpenter-ts/kubernetes';
import type { NodeClass } from '@karpenter-ts/cloudprovider';

/** The NodeClass kind of the fake provider. */
export const NODE_CLASSES: ResourceType = {
  group: 'karpenter.kwok.sh',
  version: 'v1alpha1',
  plural: 'kwoknodeclasses',
  kind: 'KWOKNodeClass',
  namespaced: false,
};

const CLASS_REF = { group: NODE_CLASSES.group, kind: NODE_CLASSES.kind, name: 'default' };
/** A NodeClass of another provider. */
export const FOREIGN_CLASS_REF = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

type Labels = Readonly<Record<string, string>>;

interface MetadataParts {
  readonly labels?: Labels;
  readonly annotations?: Labels;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: NodeClaim['metadata']['ownerReferences'];
}

function metadataOf(name: string, parts: MetadataParts): NodeClaim['metadata'] {
  const { labels = {}, annotations, finalizers, ownerReferences } = parts;
  return {
    name,
    labels,
    ...(annotations && { annotations }),
    ...(finalizers && { finalizers }),
    ...(ownerReferences && { ownerReferences }),
  };
}

interface NodeClaimParts extends Partial<NodeClaim['spec']>, MetadataParts {
  /** Sets owner reference and label of the NodePool, as the provisioner does. */
  readonly pool?: NodePool;
  readonly status?: NodeClaim['status'];
}

/** A NodeClaim that any instance type meets. */
export function makeNodeClaim(name: string, parts: NodeClaimParts = {}): NodeClaim {
  const { pool, labels, annotations, finalizers, ownerReferences, status, ...spec } = parts;
  const owner = pool && {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    name: pool.metadata.name,
    uid: pool.metadata.uid ?? '',
    blockOwnerDeletion: true,
  };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: metadataOf(name, {
      labels: {
        [nodeClassLabel(CLASS_REF)]: CLASS_REF.name,
        ...(pool && { [NODEPOOL_LABEL]: pool.metadata.name }),
        ...labels,
      },
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
      ownerReferences: ownerReferences ?? (owner ? [owner] : []),
    }),
    spec: { nodeClassRef: CLASS_REF, requirements: [], expireAfter: 'Never', ...spec },
    ...(status && { status }),
  };
}

interface NodePoolParts extends Partial<Omit<NodePool['spec'], 'template'>>, MetadataParts {
  readonly template?: Partial<NodePool['spec']['template']['spec']>;
  readonly templateMetadata?: NodePool['spec']['template']['metadata'];
}

/** A NodePool that allows all instance types. */
export function makeNodePool(name: string, parts: NodePoolParts = {}): NodePool {
  const { template, templateMetadata, labels, annotations, finalizers, ...spec } = parts;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: metadataOf(name, {
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ...(finalizers && { finalizers }),
    }),
    spec: {
      disruption: {
        budgets: [{ nodes: '10%' }],
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
      },
      ...spec,
      template: {
        ...(templateMetadata && { metadata: templateMetadata }),
        spec: { nodeClassRef: CLASS_REF, requirements: [], expireAfter: 'Never', ...template },
      },
    },
  };
}

interface NodeParts extends MetadataParts {
  readonly providerID?: string;
  readonly taints?: NonNullable<Node['spec']>['taints'];
  readonly ready?: 'True' | 'False' | 'Unknown';
  readonly status?: Node['status'];
}

/** A Node that has just joined: Ready, and with the unregistered taint. */
export function makeNode(name: string, parts: NodeParts = {}): Node {
  const { providerID, taints = [UNREGISTERED_TAINT], ready = 'True', status, ...metadata } = parts;
  const amounts = { cpu: '4', memory: '16Gi', pods: '110' };
  return {
    metadata: metadataOf(name, metadata),
    spec: { ...(providerID !== undefined && { providerID }), taints },
    status: {
      capacity: amounts,
      allocatable: amounts,
      conditions: [{ type: 'Ready', status: ready, reason: 'Test', lastTransitionTime: '2026-01-01T00:00:00Z' }],
      ...status,
    },
  };
}

interface PodParts extends MetadataParts, Partial<Pod['spec']> {
  readonly status?: Pod['status'];
}

/** A pod of one container in the namespace `default`. */
export function makePod(name: string, parts: PodParts = {}): Pod {
  const { labels, annotations, ownerReferences, status, ...spec } = parts;
  return {
    metadata: {
      ...metadataOf(name, {
        ...(labels && { labels }),
        ...(annotations && { annotations }),
        ...(ownerReferences && { ownerReferences }),
      }),
      namespace: 'default',
    },
    spec: { containers: [{ name: 'main', image: 'main:1' }], ...spec },
    ...(status && { status }),
  };
}

/** A NodeClass, ready by default. */
export function makeNodeClass(name = 'default', ready: 'True' | 'False' | 'Unknown' = 'True'): NodeClass {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  return {
    metadata: { name },
    status: { conditions: [{ type: 'Ready', status: ready, reason: 'Ready', message: '', lastTransitionTime }] },
  };
}
