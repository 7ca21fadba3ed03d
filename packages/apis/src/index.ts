// The whole public surface. What is not here is private to the package; manifests in YAML are in ./manifests, test data
// in ./testing.

// Kinds
export type { CapacityBuffer } from './kinds/capacity-buffer.ts';
export type { Condition } from './kinds/condition.ts';
export type { EC2NodeClass } from './kinds/ec2-node-class.ts';
export type { KWOKNodeClass } from './kinds/kwok-node-class.ts';
export type { NodeClaim } from './kinds/node-claim.ts';
export type { NodeClassRef, NodeRequirement, RequirementOperator, Taint } from './kinds/node-claim-spec.ts';
export type { NodeOverlay } from './kinds/node-overlay.ts';
export type { Budget, NodePool } from './kinds/node-pool.ts';
export { RESOURCES } from './kinds/registry.ts';
export type { KubernetesObject, ObjectMeta, OwnerReference, PrinterColumn, Resource } from './kinds/resource.ts';
export type { ResourceList } from './kinds/resource-list.ts';
export type { Flavour } from './kinds/restricted-labels.ts';

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
export { goJson, goQuote } from './values/go-text.ts';
export type { Json, JsonObject, StructuralSchema, ValidationRule } from './schema/structural.ts';

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
  PROVIDER_COMPATIBILITY,
  PRICE_OVERLAY_APPLIED,
  REQUESTED_DRA_DRIVERS,
  TERMINATION_TIMESTAMP,
} from './annotations.ts';
export {
  CLUSTER_NAME_TAG,
  clusterTag,
  EC2NODECLASS_TAG,
  findTagRestriction,
  NODECLAIM_TAG,
  NODEPOOL_TAG,
} from './ec2-tags.ts';
export { type AnnotationReview, reviewAnnotations } from './extension-annotations.ts';
export { BUILT_EXTENSIONS, type Extensions, isExtensionOn } from './extensions.ts';
export {
  findFeeProblem,
  NODE_FEE,
  PACKING_POLICY,
  type PackingAnnotations,
  type PackingPolicy,
  PLAN,
  readPackingAnnotations,
} from './packing-annotations.ts';
export { EC2NODECLASS_TERMINATION_FINALIZER, TERMINATION_FINALIZER } from './finalizers.ts';
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
  NODEPOOL_LABEL,
  nodeClassLabel,
  OFFERING_LABELS,
  OS_LABEL,
  REGION_LABEL,
  REGISTERED_LABEL,
  WINDOWS_BUILD_LABEL,
  WINDOWS_BUILDS,
  ZONE_LABEL,
} from './labels.ts';
export {
  AWS_PROFILE,
  CORE_PROFILE,
  findLabelRestriction,
  KWOK_PROFILE,
  normalizeLabelKey,
  type ProviderProfile,
  RESTRICTED_LABELS,
} from './provider-profile.ts';
export {
  DISRUPTED_TAINT,
  formatTaint,
  isKnownEphemeralTaint,
  isSameTaint,
  mergeTaints,
  type TaintSpec,
  UNREGISTERED_TAINT,
} from './taints.ts';

// Meaning
export { type AmiAlias, type AmiFamily, findAmiAlias, resolveAmiFamily } from './ami-alias.ts';
export {
  type AllowedDisruptions,
  allowedDisruptions,
  type BudgetProblem,
  type BudgetQuestion,
  type DisruptionReason,
  findBudgetProblems,
  UNLIMITED,
} from './budgets.ts';
export {
  EC2_NODE_CLASS_CONDITIONS,
  EC2_NODE_CLASS_CONDITIONS_WITH_RESERVATIONS,
  KWOK_NODE_CLASS_CONDITIONS,
  NODE_CLAIM_CONDITIONS,
  NODE_OVERLAY_CONDITIONS,
  NODE_POOL_CONDITIONS,
} from './condition-rules.ts';
export {
  type ConditionChange,
  type ConditionedObject,
  type ConditionRules,
  Conditions,
  findCondition,
  isTrue,
  READY,
} from './conditions.ts';
export {
  type DoNotDisrupt,
  isNodeProtected,
  isProtecting,
  type ProtectedPod,
  readDoNotDisrupt,
} from './do-not-disrupt.ts';
export {
  EC2NODECLASS_HASH_ANNOTATIONS,
  EC2NODECLASS_HASH_V5,
  EC2NODECLASS_HASH_V6,
  type Ec2NodeClassHashContext,
  ec2NodeClassHash,
  ec2NodeClassHashV6,
  type HashAnnotations,
  type HashedEc2NodeClass,
  isStaticallyDrifted,
  NODEPOOL_HASH_ANNOTATIONS,
  NODEPOOL_HASH_V3,
  nodePoolHash,
} from './drift-hash.ts';
export { truncateLaunchMessage } from './launch-message.ts';
export { type ExceededLimit, findExceededLimit, formatExceededLimit } from './limits.ts';
export {
  admits,
  admitsAbsence,
  anything,
  formatRequirement,
  intersect,
  operatorOf,
  overlaps,
  REQUIREMENT_OPERATORS,
  type Requirement,
  type RequirementSpec,
  toRequirement,
  toRequirementSpecs,
} from './requirement.ts';
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
} from './requirements.ts';
export { compareByWeight, type Weighted } from './weight.ts';

// Values
export { CronError, type CronSchedule, nextCronHit, parseCron } from './values/cron.ts';
export {
  DurationError,
  formatDuration,
  nanosToMilliseconds,
  parseDuration,
  parseNillableDuration,
} from './values/duration.ts';
export {
  type FieldSelector,
  FieldSelectorError,
  type FieldTerm,
  matchesFields,
  parseFieldSelector,
} from './values/field-selector.ts';
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  LabelSelectorError,
  type LabelSelectorSpec,
  labelSelectorFrom,
  matchesLabels,
} from './values/label-selector.ts';
export { parseLabelSelector } from './values/label-selector-syntax.ts';
export { LargeInteger, parseExactJson } from './values/large-integer.ts';
export { memberOf } from './values/member.ts';
export { findMoneyRate, formatMoneyRate } from './values/money-rate.ts';
export { findPercentage, formatPercentage } from './values/percentage.ts';
export {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  labelValueProblems,
  qualifiedNameProblems,
} from './values/qualified-name.ts';
export {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  findQuantity,
  formatQuantity,
  milliUnitsOf,
  parseQuantity,
  type Quantity,
  QuantityError,
  type QuantityFormat,
  subtractQuantities,
  unitsOf,
  ZERO_QUANTITY,
} from './values/quantity.ts';

// Sharing objects
export { deepFreeze, shared } from './shared.ts';
