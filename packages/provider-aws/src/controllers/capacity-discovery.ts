import {
  AWS_GROUP,
  type EC2NodeClass,
  INSTANCE_TYPE_LABEL,
  type NodeClaim,
  nodeClassLabel,
  REGISTERED_LABEL,
  type RequirementSpec,
} from '@karpenter-ts/apis';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import {
  type Change,
  type Controller,
  DONE,
  type Informer,
  kindSource,
  type ObjectCache,
  REASONABLE_RETRIES,
} from '@karpenter-ts/runtime';
import { chooseImage } from '../images/choose-image.ts';
import { type DiscoveredMemory, imageSet } from '../instance-types/discovered-memory.ts';

const NODE_CLASS_LABEL = nodeClassLabel({ group: AWS_GROUP, kind: 'EC2NodeClass' });

export interface CapacityDiscoveryDeps {
  readonly nodes: Pick<Informer<Node, 'providerId'>, 'type' | 'start' | 'hasSynced' | 'addHandlerInTurns' | 'get'>;
  readonly nodeClaims: Pick<ObjectCache<NodeClaim, 'providerId'>, 'byIndex'>;
  readonly nodeClasses: { get(name: string): EC2NodeClass | undefined };
  readonly memory: DiscoveredMemory;
}

/**
 * Learns from every Node that registers how much memory its type really has. Nodes that are registered when the process
 * starts are looked at as well, so that what was learnt survives a restart.
 */
export function capacityDiscovery({ nodes, nodeClaims, nodeClasses, memory }: CapacityDiscoveryDeps): Controller {
  return {
    name: 'providers.instancetype.capacity',
    kind: { group: NODES.group, kind: NODES.kind },
    retries: REASONABLE_RETRIES,
    sources: [kindSource(nodes, { when: hasRegistered })],
    async reconcile(name) {
      const node = nodes.get(name);
      const providerId = node?.spec?.providerID;
      if (node === undefined || !providerId) return DONE;
      const [nodeClaim, ...others] = nodeClaims.byIndex('providerId', providerId);
      if (nodeClaim === undefined || others.length > 0) return DONE;
      const nodeClass = nodeClasses.get(nodeClaim.spec.nodeClassRef.name);
      if (nodeClass !== undefined) observe(memory, { node, nodeClaim, nodeClass });
      return DONE;
    },
  };
}

/** A Node has just got the label that says so, or comes with it. */
function hasRegistered(change: Change<Node>): boolean {
  const labels = change.object.metadata.labels ?? {};
  if (change.type === 'deleted' || labels[NODE_CLASS_LABEL] === undefined) return false;
  if (change.type === 'updated' && change.old.metadata.labels?.[REGISTERED_LABEL]) return false;
  return labels[REGISTERED_LABEL] === 'true';
}

/** What nodes of an earlier image have says nothing of those to come. */
function observe(
  memory: DiscoveredMemory,
  {
    node,
    nodeClaim,
    nodeClass,
  }: { readonly node: Node; readonly nodeClaim: NodeClaim; readonly nodeClass: EC2NodeClass },
): void {
  const labels = node.metadata.labels ?? {};
  const instanceType = labels[INSTANCE_TYPE_LABEL];
  const seen = node.status?.capacity?.['memory'];
  const amis = nodeClass.status?.amis ?? [];
  const image = chooseImage(requirementsOf(labels), amis)?.id;
  if (instanceType === undefined || seen === undefined) return;
  if (image === undefined || image !== nodeClaim.status?.imageID) return;
  memory.observe(instanceType, imageSet(amis), String(seen));
}

function requirementsOf(labels: Readonly<Record<string, string>>): readonly RequirementSpec[] {
  return Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
}
