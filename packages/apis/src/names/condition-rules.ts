import type { ConditionRules } from '@karpenter-ts/kubernetes';

/** NodePool (spec 01 §2.4, 09 §0.2). NodeRegistrationHealthy and ExtensionsValid inform, they make no pool unready. */
export const NODE_POOL_CONDITIONS: ConditionRules<
  'ValidationSucceeded' | 'NodeClassReady' | 'NodeRegistrationHealthy' | 'ExtensionsValid'
> = { dependents: ['ValidationSucceeded', 'NodeClassReady'] };

/** NodeClaim (spec 01 §3.3). */
export const NODE_CLAIM_CONDITIONS: ConditionRules<
  | 'Launched'
  | 'Registered'
  | 'Initialized'
  | 'Consolidatable'
  | 'Drifted'
  | 'Drained'
  | 'VolumesDetached'
  | 'InstanceTerminating'
  | 'ConsistentStateFound'
  | 'DisruptionReason'
> = { dependents: ['Launched', 'Registered', 'Initialized'] };

/** NodeOverlay (spec 01 §4). */
export const NODE_OVERLAY_CONDITIONS: ConditionRules<'ValidationSucceeded'> = { dependents: ['ValidationSucceeded'] };

/** KWOKNodeClass (spec 01 §6): `Ready` depends on nothing. */
export const KWOK_NODE_CLASS_CONDITIONS: ConditionRules<never> = { dependents: [] };

export type Ec2NodeClassCondition =
  | 'AMIsReady'
  | 'SubnetsReady'
  | 'SecurityGroupsReady'
  | 'InstanceProfileReady'
  | 'ValidationSucceeded'
  | 'PlacementGroupReady'
  | 'CapacityReservationsReady';

/** EC2NodeClass (spec 01 §7.4) with the gate ReservedCapacity off. */
export const EC2_NODE_CLASS_CONDITIONS: ConditionRules<Ec2NodeClassCondition> = {
  dependents: [
    'AMIsReady',
    'SubnetsReady',
    'SecurityGroupsReady',
    'InstanceProfileReady',
    'ValidationSucceeded',
    'PlacementGroupReady',
  ],
};

/** EC2NodeClass with the gate ReservedCapacity on, which is the default. */
export const EC2_NODE_CLASS_CONDITIONS_WITH_RESERVATIONS: ConditionRules<Ec2NodeClassCondition> = {
  dependents: [...EC2_NODE_CLASS_CONDITIONS.dependents, 'CapacityReservationsReady'],
};
