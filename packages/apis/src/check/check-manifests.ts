import { EC2NODECLASS_HASH_V5, ec2NodeClassHash, NODEPOOL_HASH_V3, nodePoolHash } from '../hash/drift-hash.ts';
import type { EC2NodeClass } from '../kinds/aws/ec2-node-class.ts';
import type { NodeOverlay } from '../kinds/core/node-overlay.ts';
import type { NodePool } from '../kinds/core/node-pool.ts';
import { RESOURCES } from '../kinds/registry.ts';
import type { Resource } from '../schema/resource.ts';
import type { Flavour } from '../kinds/restricted-labels.ts';
import { type Scenario, scenarioResource } from '../kinds/core/scenario.ts';
import { AWS_PROFILE, CORE_PROFILE, KWOK_PROFILE, type ProviderProfile } from '../names/provider-profile.ts';
import { examine, RULES_NOT_CHECKED } from '../schema/admission.ts';
import { type CauseReason, type FieldError, type FieldPath, textOf } from '../schema/field-error.ts';
import { reviewAnnotations } from '../extensions/extension-annotations.ts';
import { isJsonObject, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { validateEc2NodeClass } from '../validation/ec2-node-class.ts';
import { validateNodeOverlay } from '../validation/node-overlay.ts';
import { validateNodePool } from '../validation/node-pool.ts';
import { type Problem, warning } from '../validation/problem.ts';
import { validateScenario } from '../validation/scenario.ts';
import { findNearMiss } from '../names/near-miss.ts';
import { findFieldMeant } from './hint.ts';
import { type Manifest, type Position, readManifests } from './manifest.ts';

/** A manifest file, or the reason it could not be read. */
export type ManifestFile =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly problem: string };

export interface CheckOptions {
  /** Part of the drift hash of EC2NodeClasses, like the controller's flag of that name. */
  readonly clusterCaBundle?: string | undefined;
  /** The provider whose CRDs to check against. `auto` chooses by the NodeClass that an object refers to. */
  readonly provider?: Flavour | 'auto' | undefined;
  /** Says more about a valid EC2NodeClass than its API and its controller do. */
  readonly reviewNodeClass?: ((nodeClass: EC2NodeClass) => readonly Remark[]) | undefined;
}

/** A problem that somebody knows more about. */
export interface Remark extends Problem {
  readonly hint?: string;
  /** The line within the text that the field holds, from 1. */
  readonly textLine?: number;
}

/** A problem in the server's words, with its position in the file. */
export interface Finding extends Position {
  /** JSON path; empty if the finding is about the whole object. */
  readonly field: string;
  readonly reason?: CauseReason;
  readonly message: string;
  readonly hint?: string;
}

/** The result for one object, or for a file without objects. `kind` and `name` are empty if unknown. */
export interface CheckedObject {
  readonly file: string;
  readonly line: number;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly valid: boolean;
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  /** The drift hash of a valid object. A changed hash replaces the nodes. */
  readonly hash?: string;
  readonly hashVersion?: string;
}

/** The result for an object and, if it is valid, the object as the API server would store it. */
export interface ReadObject {
  readonly checked: CheckedObject;
  readonly object?: JsonObject;
  /** The position of a field. For a missing field, the position of its nearest existing parent. */
  readonly locate?: (path: FieldPath) => Position;
}

/** Checks every object of every file like the API server and then the controller. No object is skipped. */
export function checkManifests(files: readonly ManifestFile[], options: CheckOptions = {}): readonly CheckedObject[] {
  return files.flatMap((file) => readObjects(file, options).map(({ checked }) => checked));
}

/** Checks every object of a file. No object is skipped. */
export function readObjects(file: ManifestFile, options: CheckOptions = {}): readonly ReadObject[] {
  if ('problem' in file) return [unreadable(file.name, file.problem, START)];
  const manifests = readManifests(file.text);
  if (manifests.length === 0) return [unreadable(file.name, 'holds no object', START)];
  return manifests.map((manifest) => checkManifest(manifest, file.name, options));
}

const START: Position = { line: 1, column: 1 };

function unreadable(file: string, message: string, position: Position): ReadObject {
  const errors = [{ field: '', message, ...position }];
  const head = { file, line: position.line, apiVersion: '', kind: '', name: '' };
  return { checked: { ...head, valid: false, errors, warnings: [] } };
}

function checkManifest(manifest: Manifest, file: string, options: CheckOptions): ReadObject {
  if ('problem' in manifest) return unreadable(file, manifest.problem, manifest.position);
  const { object, locate, locateLine } = manifest;
  const { kind, apiVersion } = object;
  const name = nameOf(object);
  const head = { file, line: locate([]).line, apiVersion: asText(apiVersion), kind: asText(kind), name };
  const flavour = flavourOf(object, options);
  const resource = findResource(flavour, kind, apiVersion);
  if (!resource) {
    return { checked: { ...head, valid: false, errors: [unknownKind(object, locate)], warnings: [] } };
  }
  const { errors, warnings, admitted } = checkObject(object, resource, { flavour, locate, locateLine, options });
  if (errors.length > 0) return { checked: { ...head, valid: false, errors, warnings } };
  const checked = { ...head, valid: true, errors, warnings, ...hashOf(admitted, options) };
  return { checked, object: admitted, locate };
}

interface Findings {
  readonly errors: readonly Finding[];
  readonly warnings: readonly Finding[];
  readonly admitted: JsonObject;
}

interface Checking {
  readonly flavour: Flavour;
  readonly locate: Locate;
  readonly locateLine: LocateLine;
  readonly options: CheckOptions;
}

function checkObject(
  object: JsonObject,
  resource: Resource,
  { flavour, locate, locateLine, options }: Checking,
): Findings {
  const { decoding, errors, object: admitted } = examine(object, resource);
  const refused: readonly Finding[] = [
    ...decoding.map(({ path, message }) => {
      const meant = message.startsWith('unknown field') ? findFieldMeant(path, resource.schema) : undefined;
      return { field: textOf(path), message, ...hint(meant), ...locate(path) };
    }),
    ...errors.filter((error) => error !== RULES_NOT_CHECKED).map((error) => fieldFinding(error, object, locate)),
  ];
  const note = errors.includes(RULES_NOT_CHECKED) ? [fieldFinding(RULES_NOT_CHECKED, object, locate)] : [];
  const isAdmitted = errors.length === 0 && refused.length === 0;
  const problems = isAdmitted ? [...runtimeProblems(admitted, PROFILES[flavour]), ...remarksOn(admitted, options)] : [];
  const found = problems.map(({ field, message, severity, hint: meant, textLine }: Remark) => {
    const position = textLine === undefined ? locate(pathOf(field)) : locateLine(pathOf(field), textLine);
    return { severity, finding: { field, message, ...(meant !== undefined && { hint: meant }), ...position } };
  });
  const ofSeverity = (wanted: Problem['severity']) =>
    found.filter(({ severity }) => severity === wanted).map(({ finding }) => finding);
  return {
    admitted,
    errors: [...[...refused, ...ofSeverity('error')].sort(byPosition), ...note],
    warnings: ofSeverity('warning').sort(byPosition),
  };
}

function byPosition(a: Position, b: Position): number {
  return a.line - b.line || a.column - b.column;
}

type Locate = (path: FieldPath) => Position;
type LocateLine = (path: FieldPath, line: number) => Position;

function fieldFinding(error: FieldError, object: JsonObject, locate: Locate): Finding {
  const { reason, field, message, path } = error;
  const written = path.reduce<Json | undefined>(
    (at, key) => (isContainer(at) && Object.hasOwn(at, key) ? at[key] : undefined),
    object,
  );
  const allowed =
    reason === 'FieldValueNotSupported' ? [...message.matchAll(/"([^"]*)"/g)].map((match) => match[1]!) : [];
  const meant = typeof written === 'string' ? findNearMiss(written, allowed.slice(1)) : undefined;
  return { field, reason, message, ...hint(meant), ...locate(path) };
}

function isContainer(value: Json | undefined): value is { readonly [key: string | number]: Json } {
  return typeof value === 'object' && value !== null;
}

function hint(meant: string | undefined): { readonly hint?: string } {
  return meant === undefined ? {} : { hint: `did you mean ${meant}?` };
}

const PROFILES: Readonly<Record<Flavour, ProviderProfile>> = {
  core: CORE_PROFILE,
  aws: AWS_PROFILE,
  kwok: KWOK_PROFILE,
};

/**
 * The problems that the controller finds in an admitted object. The casts are safe because the object has passed its
 * schema.
 */
function runtimeProblems(object: JsonObject, profile: ProviderProfile): readonly Problem[] {
  const admitted: unknown = object;
  if (object['kind'] === 'NodePool') {
    const nodePool = admitted as NodePool;
    return [...validateNodePool(nodePool, profile), ...extensionProblems(nodePool)];
  }
  if (object['kind'] === 'NodeOverlay') return validateNodeOverlay(admitted as NodeOverlay, profile);
  if (object['kind'] === 'EC2NodeClass') return validateEc2NodeClass(admitted as EC2NodeClass);
  if (object['kind'] === 'Scenario') return validateScenario(admitted as Scenario);
  return [];
}

/** The cast is safe because the object has passed its schema. */
function remarksOn(object: JsonObject, { reviewNodeClass }: CheckOptions): readonly Remark[] {
  const admitted: unknown = object;
  return object['kind'] === 'EC2NodeClass' ? (reviewNodeClass?.(admitted as EC2NodeClass) ?? []) : [];
}

/** Bad annotations of extensions leave a NodePool usable, so they are warnings. */
function extensionProblems(nodePool: NodePool): readonly Problem[] {
  const problems = reviewAnnotations(nodePool, 'all')?.problems ?? [];
  return problems.map((message) => warning('metadata.annotations', message));
}

function hashOf(
  object: JsonObject,
  { clusterCaBundle = '' }: CheckOptions,
): Pick<CheckedObject, 'hash' | 'hashVersion'> {
  const admitted: unknown = object;
  if (object['kind'] === 'NodePool') return { hash: nodePoolHash(admitted as NodePool), hashVersion: NODEPOOL_HASH_V3 };
  if (object['kind'] !== 'EC2NodeClass') return {};
  return { hash: ec2NodeClassHash(admitted as EC2NodeClass, { clusterCaBundle }), hashVersion: EC2NODECLASS_HASH_V5 };
}

function findResource(flavour: Flavour, kind: Json | undefined, apiVersion: Json | undefined): Resource | undefined {
  const known = [...RESOURCES[flavour], ...KNOWN];
  return known.find((resource) => resource.kind === kind && `${resource.group}/${resource.version}` === apiVersion);
}

/**
 * Overlays and buffers name no NodeClass. They are checked by the AWS rules, which accept everything that KWOK's
 * accept.
 */
function flavourOf(object: JsonObject, { provider = 'auto' }: CheckOptions): Flavour {
  if (provider !== 'auto') return provider;
  const spec = isJsonObject(object['spec']) ? object['spec'] : {};
  const template =
    isJsonObject(spec['template']) && isJsonObject(spec['template']['spec']) ? spec['template']['spec'] : spec;
  const ref = template['nodeClassRef'];
  const group = isJsonObject(ref) ? ref['group'] : 'karpenter.k8s.aws';
  if (group === 'karpenter.k8s.aws') return 'aws';
  return group === 'karpenter.kwok.sh' ? 'kwok' : 'core';
}

const KNOWN = [...RESOURCES.aws, ...RESOURCES.kwok.slice(-1), scenarioResource];

function unknownKind(object: JsonObject, locate: Locate): Finding {
  const { kind, apiVersion } = object;
  if (typeof kind !== 'string' || kind === '') return { field: 'kind', message: 'kind not set', ...locate(['kind']) };
  if (typeof apiVersion !== 'string' || apiVersion === '') {
    return { field: 'apiVersion', message: 'apiVersion not set', ...locate(['apiVersion']) };
  }
  const message = `no matches for kind "${kind}" in version "${apiVersion}"`;
  const sameKind = KNOWN.find((resource) => resource.kind === kind);
  if (sameKind) {
    const meant = `${sameKind.group}/${sameKind.version}`;
    return { field: 'apiVersion', message, ...hint(meant), ...locate(['apiVersion']) };
  }
  const meant = findNearMiss(
    kind,
    KNOWN.map((resource) => resource.kind),
  );
  return { field: 'kind', message, ...hint(meant), ...locate(['kind']) };
}

function nameOf(object: JsonObject): string {
  const meta = isJsonObject(object['metadata']) ? object['metadata'] : {};
  return asText(meta['name']) || asText(meta['generateName']);
}

function asText(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

/**
 * Splits `a.b[2].c` into its segments. Runtime checks name fields as text. For keys with dots the position is that of a
 * parent.
 */
function pathOf(field: string): FieldPath {
  return field
    .split(/[.[\]]+/)
    .filter(Boolean)
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}
