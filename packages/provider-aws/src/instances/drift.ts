import {
  AWS_LABELS,
  type EC2NodeClass,
  EC2NODECLASS_HASH_ANNOTATIONS,
  isStaticallyDrifted,
  type NodeClaim,
  type NodePool,
  NODEPOOL_LABEL,
} from '@karpenter-ts/apis';
import { isTrue } from '@karpenter-ts/kubernetes';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { during, within } from '../api/with-context.ts';
import type { NodeClassLookup } from '../node-class/node-class-lookup.ts';
import type { InstanceTypeSource } from '../offerings/instance-type-source.ts';
import type { PlacementGroupSource } from '../placement/placement-group.ts';
import { hasOtherImage, hasOtherSecurityGroups, isInOtherReservation, isInOtherSubnet } from './drift-reasons.ts';
import type { Instance } from './instance.ts';
import type { Instances } from './instances.ts';
import { instanceIdOf } from './provider-id.ts';

/** A reason of conditions, budgets and metrics. */
export type DriftReason =
  | 'NodeClassDrift'
  | 'AMIDrift'
  | 'SecurityGroupDrift'
  | 'SubnetDrift'
  | 'CapacityReservationDrift'
  | 'PlacementGroupDrift';

export interface DriftDeps {
  readonly instances: Pick<Instances, 'get' | 'getFresh'>;
  readonly nodePools: { get(name: string): NodePool | undefined };
  readonly nodeClasses: Pick<NodeClassLookup, 'ofNodePool'>;
  readonly instanceTypes: Pick<InstanceTypeSource, 'listInTurns'>;
  readonly placementGroups: PlacementGroupSource;
}

/** A NodeClaim, and the NodeClass that its NodePool refers to now. */
interface Question {
  readonly nodeClaim: NodeClaim;
  readonly nodeClass: EC2NodeClass;
}

/**
 * Why an instance no longer is what its NodePool's NodeClass asks for; undefined if it is, and if NodePool or NodeClass
 * are gone. The cheapest questions come first (spec 07 §20).
 */
export async function findDrift(
  nodeClaim: NodeClaim,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<DriftReason | undefined> {
  const nodePool = deps.nodePools.get(nodeClaim.metadata.labels?.[NODEPOOL_LABEL] ?? '');
  const nodeClass = nodePool && deps.nodeClasses.ofNodePool(nodePool);
  if (nodeClass === undefined) return undefined;
  const question = { nodeClaim, nodeClass };
  const { annotations } = nodeClass.metadata;
  if (isStaticallyDrifted(annotations, nodeClaim.metadata.annotations, EC2NODECLASS_HASH_ANNOTATIONS)) {
    return 'NodeClassDrift';
  }
  if (await within('calculating ami drift', hasImageDrift(question, deps, signal))) return 'AMIDrift';
  return findInstanceDrift(question, deps, signal);
}

async function hasImageDrift(
  { nodeClaim, nodeClass }: Question,
  { instanceTypes, placementGroups }: DriftDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const list = async (): Promise<readonly InstanceType[]> =>
    instanceTypes.listInTurns(nodeClass, await placementGroups.resolve(nodeClass, signal), signal);
  return hasOtherImage(nodeClaim, await within('getting instanceTypes', list()), nodeClass);
}

interface InstanceQuestion extends Question {
  readonly instance: Instance;
}

/** All four are looked at before one is told, so that what could not be looked up is an error in any case. */
async function findInstanceDrift(
  question: Question,
  deps: DriftDeps,
  signal: AbortSignal,
): Promise<DriftReason | undefined> {
  const { nodeClaim, nodeClass } = question;
  const id = instanceIdOf(nodeClaim.status?.providerID ?? '');
  const instance = await within('getting instance', deps.instances.get(id, signal));
  const reasons: readonly [DriftReason, boolean][] = [
    [
      'SecurityGroupDrift',
      during('calculating securitygroup drift', () => hasOtherSecurityGroups(instance, nodeClass)),
    ],
    ['SubnetDrift', during('calculating subnet drift', () => isInOtherSubnet(instance, nodeClass))],
    [
      'CapacityReservationDrift',
      await within(
        'calculating capacity reservation drift',
        hasReservationDrift({ ...question, instance }, deps, signal),
      ),
    ],
    ['PlacementGroupDrift', await within('calculating placement group drift', hasGroupDrift(question, deps, signal))],
  ];
  return reasons.find(([, isDrifted]) => isDrifted)?.[0];
}

/**
 * An instance whose reservation has ended goes on as on-demand, which only a fresh look tells. After the gate was off, or
 * before reservations were listed for the first time, the status has none, and that is no reason to replace a node.
 */
async function hasReservationDrift(
  { instance, nodeClass }: InstanceQuestion,
  { instances }: DriftDeps,
  signal: AbortSignal,
): Promise<boolean> {
  if (!isInOtherReservation(instance, nodeClass)) return false;
  if (!isTrue(nodeClass, 'CapacityReservationsReady')) throw new Error('capacity reservations are not discovered yet');
  const fresh = await within('getting instance', instances.getFresh(instance.id, signal));
  return isInOtherReservation(fresh, nodeClass);
}

/** Either may be in no group. While EC2 cannot tell of the NodeClass' group, that is an error: nothing has changed. */
async function hasGroupDrift(
  { nodeClaim, nodeClass }: Question,
  { placementGroups }: DriftDeps,
  signal: AbortSignal,
): Promise<boolean> {
  const group = await placementGroups.resolve(nodeClass, signal);
  return (nodeClaim.metadata.labels?.[AWS_LABELS.placementGroupId] ?? '') !== (group?.id ?? '');
}
