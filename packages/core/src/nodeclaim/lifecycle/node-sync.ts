import { apiVersionOf, type Node, type OwnerReference, type Taint } from '@karpenter-ts/kubernetes';
import {
  DO_NOT_SYNC_TAINTS_LABEL,
  isSameTaint,
  mergeTaints,
  NODE_CLAIMS,
  type NodeClaim,
  REGISTERED_LABEL,
  TERMINATION_FINALIZER,
  UNREGISTERED_TAINT,
} from '@karpenter-ts/apis';

/**
 * The Node with our finalizer and with the owner reference, labels, annotations and taints of its NodeClaim (spec 03
 * §3.2). Taints are skipped if a label says that the Node sets them itself. An existing taint keeps its value.
 */
export function syncNode(node: Node, nodeClaim: NodeClaim): Node {
  const { metadata, spec } = node;
  const { taints = [], startupTaints = [] } = nodeClaim.spec;
  const ownTaints = spec?.taints ?? [];
  const setsTaintsItself = metadata.labels?.[DO_NOT_SYNC_TAINTS_LABEL] === 'true';
  return {
    ...node,
    metadata: {
      ...metadata,
      finalizers: withFinalizer(metadata.finalizers ?? []),
      ownerReferences: withOwner(metadata.ownerReferences ?? [], nodeClaim),
      labels: { ...metadata.labels, ...nodeClaim.metadata.labels },
      annotations: { ...metadata.annotations, ...nodeClaim.metadata.annotations },
    },
    spec: withTaints(spec, setsTaintsItself ? ownTaints : mergeTaints<Taint>(ownTaints, [...taints, ...startupTaints])),
  };
}

/** The registered Node: without the unregistered taint, and with the registered label. */
export function markRegistered({ metadata, spec, ...rest }: Node): Node {
  const taints = (spec?.taints ?? []).filter((taint) => !isSameTaint(taint, UNREGISTERED_TAINT));
  return {
    ...rest,
    metadata: { ...metadata, labels: { ...metadata.labels, [REGISTERED_LABEL]: 'true' } },
    spec: withTaints(spec, taints),
  };
}

/** Whether pods could have been bound before the registration, because the unregistered taint was missing. */
export function lacksUnregisteredTaint({ metadata, spec }: Node): boolean {
  const isRegistered = metadata.labels?.[REGISTERED_LABEL] !== undefined;
  return !isRegistered && !(spec?.taints ?? []).some((taint) => isSameTaint(taint, UNREGISTERED_TAINT));
}

function withFinalizer(finalizers: readonly string[]): readonly string[] {
  return finalizers.includes(TERMINATION_FINALIZER) ? finalizers : [...finalizers, TERMINATION_FINALIZER];
}

function withOwner(owners: readonly OwnerReference[], { metadata }: NodeClaim): readonly OwnerReference[] {
  const { name, uid = '' } = metadata;
  const apiVersion = apiVersionOf(NODE_CLAIMS);
  const { kind } = NODE_CLAIMS;
  if (owners.some((owner) => owner.apiVersion === apiVersion && owner.kind === kind && owner.uid === uid))
    return owners;
  return [...owners, { apiVersion, kind, name, uid, blockOwnerDeletion: true }];
}

/** An empty list is left out, as the API server does. */
function withTaints(spec: Node['spec'], taints: readonly Taint[]): Node['spec'] {
  const { taints: _, ...rest } = spec ?? {};
  return taints.length === 0 ? rest : { ...rest, taints };
}
