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
export type { KubernetesObject, ObjectMeta, OwnerReference } from './objects/object-meta.ts';
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
export { FORMATS, isKnownFormat } from './schema/formats.ts';
export {
  isJsonArray,
  isJsonObject,
  isSameJson,
  type Json,
  type JsonObject,
  memberSchemaOf,
  type StructuralSchema,
  type ValidationRule,
  valueSchemaOf,
} from './schema/structural.ts';
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
export { CronError, nextCronHit, parseCron } from './values/cron.ts';
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
export { instantOf, microTimestamp, timestamp } from './values/timestamp.ts';
