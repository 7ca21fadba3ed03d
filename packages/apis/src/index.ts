// Everything the other packages may use of the API: kinds, values, names, hashes, validation.
export {
  type CheckedObject,
  type CheckOptions,
  checkManifests,
  type Finding,
  MAX_MANIFEST_BYTES,
  type ManifestFile,
} from './check/check-manifests.ts';
export type { CapacityBuffer } from './kinds/capacity-buffer.ts';
export type { Condition } from './kinds/condition.ts';
export type { EC2NodeClass } from './kinds/ec2-node-class.ts';
export type { KWOKNodeClass } from './kinds/kwok-node-class.ts';
export type { NodeClaim } from './kinds/node-claim.ts';
export type { NodeClassRef, Requirement, RequirementOperator, Taint } from './kinds/node-claim-spec.ts';
export type { NodeOverlay } from './kinds/node-overlay.ts';
export type { Budget, NodePool } from './kinds/node-pool.ts';
export { RESOURCES } from './kinds/registry.ts';
export type { KubernetesObject, ObjectMeta, OwnerReference, PrinterColumn, Resource } from './kinds/resource.ts';
export type { ResourceList } from './kinds/resource-list.ts';
export type { Flavour } from './kinds/restricted-labels.ts';
export { type Admission, admit, type DecodingProblem, type Examination, examine } from './schema/admission.ts';
export { customResourceDefinition, toYaml } from './schema/crd.ts';
export { type CauseReason, type FieldError, type FieldPath, renderFieldError } from './schema/field-error.ts';
export type { Json, JsonObject, StructuralSchema, ValidationRule } from './schema/structural.ts';
export { deepFreeze, shared } from './shared.ts';
