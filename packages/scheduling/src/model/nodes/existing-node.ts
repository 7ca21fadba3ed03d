import {
  INITIALIZED_LABEL,
  isKnownEphemeralTaint,
  isSameTaint,
  type NodeClaim,
  REGISTERED_LABEL,
} from '@karpenter-ts/apis';
import { memberOf, type Node, parseQuantity, type Pod, type ResourceList, type Taint } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '../../snapshot.ts';

/** What the API server has about one node: its Node, its NodeClaim, or both, and the pods that run there. */
export interface NodeParts {
  readonly node?: Node | undefined;
  readonly nodeClaim?: NodeClaim | undefined;
  readonly pods?: readonly Pod[];
  /** By CSI driver, from the CSINode. */
  readonly volumeLimits?: Readonly<Record<string, number>>;
  readonly refusesMovedPods?: boolean;
}

/**
 * A node as planning sees it (spec 02 §5.1, §10). Until a managed node is registered, its NodeClaim describes it. Until
 * it is initialised, resources its kubelet does not report yet are those the NodeClaim promises, and taints it is about
 * to lose do not count. Needs a Node or a NodeClaim.
 */
export function describeNode(parts: NodeParts): ExistingNode {
  const { node, nodeClaim, pods = [], volumeLimits = {}, refusesMovedPods = false } = parts;
  const isManaged = nodeClaim !== undefined;
  const hasLabel = (label: string) => !isManaged || node?.metadata.labels?.[label] === 'true';
  const initialized = hasLabel(INITIALIZED_LABEL);
  const speaker = node === undefined || !hasLabel(REGISTERED_LABEL) ? nodeClaim! : node;
  const promised = initialized ? undefined : nodeClaim?.status;
  return {
    providerId: nodeClaim?.status?.providerID || node?.spec?.providerID || speaker.metadata.name,
    name: speaker.metadata.name,
    labels: speaker.metadata.labels ?? {},
    taints: taintsOf(speaker, initialized ? undefined : nodeClaim),
    node: node && { labels: node.metadata.labels ?? {}, taints: node.spec?.taints ?? [] },
    initialized,
    capacity: fillIn(node?.status?.capacity, promised?.capacity),
    allocatable: fillIn(node?.status?.allocatable, promised?.allocatable),
    pods: pods.filter(({ status }) => status?.phase !== 'Failed' && status?.phase !== 'Succeeded'),
    volumeLimits,
    refusesMovedPods,
  };
}

/** Without those a node of `starting` is about to lose. */
function taintsOf({ spec }: Node | NodeClaim, starting: NodeClaim | undefined): readonly Taint[] {
  const taints = spec?.taints ?? [];
  if (starting === undefined) return taints;
  const startup = starting.spec.startupTaints ?? [];
  return taints.filter((taint) => !isKnownEphemeralTaint(taint) && !startup.some((one) => isSameTaint(one, taint)));
}

/** A kubelet that is starting reports nothing, or zero, of what a device plugin has yet to announce. */
function fillIn(reported: ResourceList = {}, promised: ResourceList = {}): ResourceList {
  const filled: Record<string, string | number> = { ...reported };
  for (const [name, amount] of Object.entries(promised)) {
    if (parseQuantity(memberOf(filled, name) ?? 0).nanos === 0n) filled[name] = amount;
  }
  return filled;
}
