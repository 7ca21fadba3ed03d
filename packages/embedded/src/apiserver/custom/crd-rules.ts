import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { invalidValue, notSupported, type Problem, required } from '../field-errors.ts';
import type { KindRules } from '../kinds/behaviour/kind-rules.ts';
import { type KubeObject, listAt, objectAt, textAt, withMetadata } from '../object.ts';

/** The finalizer that keeps a definition until its objects are deleted. */
export const CLEANUP_FINALIZER = 'customresourcecleanup.apiextensions.k8s.io';

/** A definition is established at once, because no other apiserver could have conflicting names. */
export const CUSTOM_RESOURCE_DEFINITION: KindRules = {
  traits: { needsVersion: true, bareDeletion: true },
  generationOf: (definition) => definition['spec'],
  initialStatus: establishedStatus,
  validate: definitionProblems,
  prepareDelete: withCleanup,
};

/** Its objects go first. */
function withCleanup(definition: KubeObject, now: string): KubeObject {
  const status = objectAt(definition, 'status');
  const terminating = {
    type: 'Terminating',
    status: 'True',
    lastTransitionTime: now,
    reason: 'InstanceDeletionInProgress',
    message: 'CustomResource deletion is in progress',
  };
  const finalizers = [...(definition.metadata.finalizers ?? []), CLEANUP_FINALIZER];
  const conditions = [...listAt(status, 'conditions'), terminating];
  return withMetadata({ ...definition, status: { ...status, conditions } }, { finalizers });
}

function establishedStatus(definition: KubeObject): Json {
  const lastTransitionTime = definition.metadata.creationTimestamp!;
  const condition = (type: string, reason: string, message: string) => ({
    type,
    status: 'True',
    lastTransitionTime,
    reason,
    message,
  });
  return {
    conditions: [
      condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
      condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
    ],
    acceptedNames: objectAt(definition, 'spec', 'names'),
    storedVersions: listAt(definition, 'spec', 'versions')
      .filter(({ storage }) => storage === true)
      .map(({ name }) => name!),
  };
}

function definitionProblems(definition: KubeObject): readonly Problem[] {
  const spec = objectAt(definition, 'spec');
  const versions = listAt(spec, 'versions');
  const names = objectAt(spec, 'names');
  const problems: Problem[] = [];
  const { name } = definition.metadata;
  if (name && name !== `${textAt(names, 'plural')}.${textAt(spec, 'group')}`) {
    problems.push(invalidValue(['metadata', 'name'], name, 'must be spec.names.plural+"."+spec.group'));
  }
  if (textAt(spec, 'group') === '') problems.push(required(['spec', 'group']));
  problems.push(...scopeProblems(spec));
  for (const problem of versions.flatMap(schemaProblems)) problems.push(problem);
  if (versions.filter(({ storage }) => storage === true).length !== 1) {
    const why = 'must have exactly one version marked as storage version';
    problems.push(invalidValue(['spec', 'versions'], versions.length > 0 ? versions : null, why));
  }
  const missing = ['plural', 'singular', 'kind', 'listKind'].filter((field) => textAt(names, field) === '');
  problems.push(...missing.map((field) => required(['spec', 'names', field])));
  return problems;
}

function scopeProblems({ scope }: JsonObject): readonly Problem[] {
  if (scope === 'Cluster' || scope === 'Namespaced') return [];
  return [scope ? notSupported(['spec', 'scope'], scope, ['Cluster', 'Namespaced']) : required(['spec', 'scope'])];
}

function schemaProblems(version: JsonObject, index: number): readonly Problem[] {
  const { openAPIV3Schema: schema } = objectAt(version, 'schema');
  const path = ['spec', 'versions', index, 'schema', 'openAPIV3Schema'];
  if (schema === undefined || schema === null) return [required(path)];
  const { type } = schema as JsonObject;
  if (type === 'object') return [];
  return type === undefined
    ? [required([...path, 'type'], 'must not be empty at the root')]
    : [invalidValue([...path, 'type'], type, 'must be object at the root')];
}
