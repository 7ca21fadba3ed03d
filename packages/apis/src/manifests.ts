// Manifests as people write them, in YAML. An entry of its own: the library for it is seventy files that no controller needs.
export {
  type CheckedObject,
  type CheckOptions,
  checkManifests,
  type Finding,
  type ManifestFile,
  type ReadObject,
  readObjects,
  type Remark,
} from './check/check-manifests.ts';
export { type Manifest, readManifests } from './check/manifest.ts';
export type { Scenario } from './kinds/core/scenario.ts';
export type { FieldPath } from './schema/field-error.ts';
export { toYaml } from './schema/yaml.ts';
