// What Kubernetes itself defines. The whole public surface: what is not here is private to the package.

// What every object has
export {
  addAmounts,
  AmountReader,
  type Amounts,
  hasNegative,
  largestAmounts,
  NO_AMOUNTS,
  smallestAmounts,
  subtractAmounts,
} from './objects/amounts.ts';
export type { Condition } from './objects/condition.ts';
export {
  type ConditionChange,
  type ConditionedObject,
  type ConditionRules,
  Conditions,
  findCondition,
  isTrue,
  READY,
} from './objects/conditions.ts';
export { controllerKey, controllerOf, controllerRef, isControlledBy } from './objects/controller-ref.ts';
export type { KubernetesObject, Labels, ObjectMeta, OwnerReference } from './objects/object-meta.ts';
export type { ResourceList } from './objects/resource-list.ts';
export {
  type ApiObject,
  apiVersionOf,
  objectKey,
  type ObjectRef,
  refOfKey,
  resourceNameOf,
  resourcePath,
  type ResourceType,
} from './objects/resource-type.ts';
export {
  CONFIG_MAPS,
  CONTROLLER_REVISIONS,
  CSI_NODES,
  CUSTOM_RESOURCE_DEFINITIONS,
  DAEMON_SETS,
  DEPLOYMENTS,
  EVENTS,
  JOBS,
  LEASES,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  RESOURCE_SLICES,
  SERVICES,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  VOLUME_ATTACHMENTS,
} from './objects/resource-types.ts';
export { deepFreeze, shared } from './objects/shared.ts';
export { BIND_COMPLETED, BOUND_BY_CONTROLLER, CLASS_ANNOTATION, SELECTED_NODE } from './objects/volume-annotations.ts';

// The kinds we read and write
export type {
  Affinity,
  PodAffinity,
  PodAffinityTerm,
  PreferredSchedulingTerm,
  TopologySpreadConstraint,
  WeightedPodAffinityTerm,
} from './kinds/affinity.ts';
export type { ObjectCondition } from './kinds/condition.ts';
export type { ControllerRevision } from './kinds/controller-revision.ts';
export type { DaemonSet, DaemonSetStatus } from './kinds/daemon-set.ts';
export type { Deployment, DeploymentStatus } from './kinds/deployment.ts';
export type { Job, JobStatus } from './kinds/job.ts';
export type { Lease, LeaseSpec } from './kinds/lease.ts';
export type { Namespace } from './kinds/namespace.ts';
export type { NodeSelector, NodeSelectorRequirement, NodeSelectorTerm } from './kinds/node-selector.ts';
export type { Node, NodeStatus, Taint } from './kinds/node.ts';
export type { PodDisruptionBudget, PodDisruptionBudgetStatus } from './kinds/pod-disruption-budget.ts';
export type {
  Container,
  ContainerPort,
  ContainerStatus,
  Pod,
  PodSpec,
  PodStatus,
  PodTemplate,
  Toleration,
  Volume,
} from './kinds/pod.ts';
export type { ReplicaSet, ReplicaSetStatus } from './kinds/replica-set.ts';
export type { ReplicationController } from './kinds/replication-controller.ts';
export type { ResourceSlice } from './kinds/resource-slice.ts';
export type { Service } from './kinds/service.ts';
export type { RetentionPolicy, StatefulSet, StatefulSetStatus } from './kinds/stateful-set.ts';
export type {
  CsiNode,
  ObjectReference,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  TopologySelectorTerm,
  VolumeAttachment,
} from './kinds/storage.ts';

// Selectors
export {
  type FieldSelector,
  FieldSelectorError,
  matchesFields,
  parseFieldSelector,
} from './selectors/field-selector.ts';
export { parseLabelSelector } from './selectors/label-selector-syntax.ts';
export {
  formatLabelSelector,
  type LabelOperator,
  type LabelRequirement,
  type LabelSelector,
  LabelSelectorError,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
} from './selectors/label-selector.ts';

// Values
export { CronError, hasCronHit, nextCronHit, nextCronInstant, parseCron } from './values/cron.ts';
export { formatPlaces, scaleToInteger } from './values/decimal-places.ts';
export {
  DurationError,
  formatDuration,
  nanosToMilliseconds,
  parseDuration,
  parseNillableDuration,
} from './values/duration.ts';
export { goJson, goQuote } from './values/go-text.ts';
export { type IntOrPercent, scaledValue } from './values/int-or-percent.ts';
export { parseInt64 } from './values/int64.ts';
export { isJsonArray, isJsonObject, isSameJson, type Json, type JsonObject } from './values/json.ts';
export { LargeInteger, parseExactJson } from './values/large-integer.ts';
export { memberOf } from './values/member.ts';
export {
  dns1123LabelProblems,
  dns1123SubdomainProblems,
  generateNameProblems,
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
  subtractQuantities,
  unitsOf,
  ZERO_QUANTITY,
} from './values/quantity.ts';
export { TIME_ZONE_DATABASE, TimeZone, timeZoneNames } from './values/time-zone.ts';
export { instantOf, microTimestamp, timestamp } from './values/timestamp.ts';

// JSON and schemas
export { FORMATS, isKnownFormat } from './schema/formats.ts';
export { memberSchemaOf, type StructuralSchema, type ValidationRule, valueSchemaOf } from './schema/structural.ts';
