// The whole public surface. What is not here is private to the package; manifests in YAML are in ./manifests, test data
// in ./testing.

// Kinds
export type { CapacityBuffer } from './kinds/core/capacity-buffer.ts';
export type { EC2NodeClass } from './kinds/aws/ec2-node-class.ts';
export type { KWOKNodeClass } from './kinds/kwok/kwok-node-class.ts';
export type { NodeClaim } from './kinds/core/node-claim.ts';
export type { NodeClassRef, NodeRequirement, RequirementOperator, Taint } from './kinds/core/node-claim-spec.ts';
export type { NodeOverlay } from './kinds/core/node-overlay.ts';
export type { Budget, NodePool } from './kinds/core/node-pool.ts';
export { RESOURCES } from './kinds/registry.ts';
export type { PrinterColumn, Resource } from './schema/resource.ts';
export type { Flavour } from './kinds/restricted-labels.ts';

export { NODE_CLAIMS, NODE_POOLS } from './kinds/resource-types.ts';

// What an API server does with an object
export {
  type Admission,
  admit,
  admitStatus,
  type DecodingProblem,
  type Examination,
  examine,
} from './schema/admission.ts';
export { customResourceDefinition } from './schema/crd.ts';
export { type CauseReason, type FieldError, type FieldPath, renderFieldError } from './schema/field-error.ts';

// What the controller finds in it
export { validateEc2NodeClass } from './validation/ec2-node-class.ts';
export { validateNodeOverlay } from './validation/node-overlay.ts';
export { validateNodePool } from './validation/node-pool.ts';
export { findConditionMessage, type Problem } from './validation/problem.ts';
export { type KnownValues, requirementFaults, splitKnownValues } from './validation/requirement.ts';

// Names
export {
  CAPACITY_BUFFER_FAKE_POD,
  CAPACITY_BUFFER_NAME,
  CAPACITY_BUFFER_NAMESPACE,
  CAPACITY_OVERLAY_APPLIED,
  CLUSTER_NAME_TAGGED,
  DO_NOT_DISRUPT,
  INSTANCE_PROFILE_NAME,
  INSTANCE_TAGGED,
  MIN_VALUES_RELAXED,
  PRICE_OVERLAY_APPLIED,
  PROVIDER_COMPATIBILITY,
  REQUESTED_DRA_DRIVERS,
  TERMINATION_TIMESTAMP,
} from './names/annotations.ts';
export {
  CLUSTER_NAME_TAG,
  clusterTag,
  EC2NODECLASS_TAG,
  findTagRestriction,
  NODECLAIM_TAG,
  NODEPOOL_TAG,
} from './names/ec2-tags.ts';
export {
  type ConsolidationKind,
  type ConsolidationWaits,
  type IgnoredPods,
} from './extensions/consolidation-annotations.ts';
export {
  type DisruptionFlags,
  type DisruptionSettings,
  disruptionSettings,
  UPSTREAM_DISRUPTION,
} from './extensions/disruption-settings.ts';
export { type DisruptionWindow, type DisruptionWindows, type WindowReason } from './extensions/disruption-windows.ts';
export { findDuration } from './extensions/extension-values.ts';
export { EXPIRED_AT, type ExpirationPolicy, findExpirationPolicy } from './extensions/expiration-annotations.ts';
export {
  formatMinimumSavings,
  type MinimumSavings,
  NO_MINIMUM,
  readMaxReplacements,
  readMinimumSavings,
  SPLIT,
} from './extensions/replacement-annotations.ts';
export {
  isCutOff,
  type WindowQuestion,
  type WindowState,
  windowState,
  type WindowVerdict,
} from './extensions/window-state.ts';
export { type AnnotationReview, reviewAnnotations } from './extensions/extension-annotations.ts';
export { BUILT_EXTENSIONS, type Extensions, hasOwnDefaults, isExtensionOn } from './extensions/extensions.ts';
export {
  findFeeProblem,
  NODE_FEE,
  PACKING_POLICY,
  type PackingAnnotations,
  type PackingPolicy,
  PLAN,
  readPackingAnnotations,
} from './extensions/packing-annotations.ts';
export { EC2NODECLASS_TERMINATION_FINALIZER, TERMINATION_FINALIZER } from './names/finalizers.ts';
export {
  ARCH_LABEL,
  AWS_GROUP,
  AWS_LABELS,
  CAPACITY_TYPE_LABEL,
  CAPACITY_TYPES,
  type CapacityType,
  CORE_GROUP,
  DO_NOT_SYNC_TAINTS_LABEL,
  EXCLUDE_FROM_LOAD_BALANCERS_LABEL,
  HOSTNAME_LABEL,
  INITIALIZED_LABEL,
  INSTANCE_TYPE_LABEL,
  KWOK_GROUP,
  KWOK_LABELS,
  KWOK_NODE_LABELS,
  nodeClassLabel,
  NODEPOOL_LABEL,
  OFFERING_LABELS,
  OS_LABEL,
  REGION_LABEL,
  REGISTERED_LABEL,
  WINDOWS_BUILD_LABEL,
  WINDOWS_BUILDS,
  ZONE_LABEL,
} from './names/labels.ts';
export {
  AWS_PROFILE,
  CORE_PROFILE,
  findLabelRestriction,
  KWOK_PROFILE,
  normalizeLabelKey,
  type ProviderProfile,
  RESTRICTED_LABELS,
} from './names/provider-profile.ts';
export {
  DISRUPTED_TAINT,
  formatTaint,
  isKnownEphemeralTaint,
  isSameTaint,
  mergeTaints,
  UNREGISTERED_TAINT,
} from './names/taints.ts';

// Meaning
export { type AmiAlias, type AmiFamily, findAmiAlias, resolveAmiFamily } from './kinds/aws/ami-alias.ts';
export { nextBudgetChange } from './disruption/budget-changes.ts';
export {
  type AllowedDisruptions,
  allowedDisruptions,
  type BudgetProblem,
  type BudgetQuestion,
  type DisruptionReason,
  findBudgetProblems,
  UNLIMITED,
} from './disruption/budgets.ts';
export {
  EC2_NODE_CLASS_CONDITIONS,
  EC2_NODE_CLASS_CONDITIONS_WITH_RESERVATIONS,
  type Ec2NodeClassCondition,
  KWOK_NODE_CLASS_CONDITIONS,
  NODE_CLAIM_CONDITIONS,
  NODE_OVERLAY_CONDITIONS,
  NODE_POOL_CONDITIONS,
} from './names/condition-rules.ts';
export {
  type DoNotDisrupt,
  isNodeProtected,
  isProtecting,
  type ProtectedPod,
  readDoNotDisrupt,
} from './disruption/do-not-disrupt.ts';
export {
  EC2NODECLASS_HASH_ANNOTATIONS,
  EC2NODECLASS_HASH_V5,
  EC2NODECLASS_HASH_V6,
  ec2NodeClassHash,
  type Ec2NodeClassHashContext,
  ec2NodeClassHashV6,
  type HashAnnotations,
  type HashedEc2NodeClass,
  isStaticallyDrifted,
  NODEPOOL_HASH_ANNOTATIONS,
  NODEPOOL_HASH_V3,
  nodePoolHash,
} from './hash/drift-hash.ts';
export { fnv1 } from './hash/fnv1.ts';
export { truncateLaunchMessage } from './kinds/core/launch-message.ts';
export { type ExceededLimit, findExceededLimit, formatExceededLimit } from './kinds/core/limits.ts';
export {
  admits,
  admitsAbsence,
  anything,
  formatRequirement,
  intersect,
  operatorOf,
  overlaps,
  type Requirement,
  REQUIREMENT_OPERATORS,
  type RequirementSpec,
  toRequirement,
  toRequirementSpecs,
} from './requirements/requirement.ts';
export {
  combineRequirements,
  findIncompatibilities,
  formatIncompatibility,
  formatRequirements,
  type Incompatibility,
  type Requirements,
  serializeRequirements,
  toLabelRequirements,
  toRequirements,
} from './requirements/requirements.ts';
export { compareByWeight, type Weighted } from './kinds/core/weight.ts';

// Values
export { findMoneyRate, formatMoneyRate } from './extensions/money-rate.ts';
export { findPercentage, formatPercentage } from './extensions/percentage.ts';

// Sharing objects
export { findNearMiss } from './names/near-miss.ts';
