import type { Json, JsonObject } from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, type Problem } from '../../field-errors.ts';
import { isSameJson, without } from '../../json-value.ts';
import { type KubeObject, type Metadata, objectAt, textAt, withMetadata } from '../../object.ts';
import { dnsLabelProblems, pathSegmentProblems } from '../metadata.ts';
import type { KindRules } from './kind-rules.ts';

const specOf = (object: KubeObject): Json | undefined => object['spec'];

/** A part of the spec that says whose pods these are cannot change while they run. */
function immutable(...fields: readonly string[]) {
  return (object: KubeObject, old: KubeObject): readonly Problem[] =>
    fields.flatMap((field) => {
      const value = objectAt(object, 'spec')[field];
      if (isSameJson(value, objectAt(old, 'spec')[field])) return [];
      return [invalidValue(['spec', field], value ?? null, 'field is immutable')];
    });
}

/** Its annotations count for a new generation, too: they go on to its ReplicaSets. */
export const DEPLOYMENT: KindRules = {
  generationOf: (deployment) => ({ spec: deployment['spec'], annotations: deployment.metadata.annotations }),
  prepareStatus: (deployment, old) => withMetadata(deployment, { labels: old.metadata.labels }),
  validateUpdate: immutable('selector'),
};

export const REPLICA_SET: KindRules = { generationOf: specOf, validateUpdate: immutable('selector') };

export const REPLICATION_CONTROLLER: KindRules = {
  traits: { dependents: 'orphaned' },
  plainFinalizers: true,
  selectable: ['status.replicas'],
  generationOf: specOf,
};

const STATEFUL_SET_UPDATABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

export const STATEFUL_SET: KindRules = {
  generationOf: specOf,
  nameProblems: dnsLabelProblems,
  validateUpdate(set, old) {
    const fixed = (one: KubeObject) => without(objectAt(one, 'spec'), ...STATEFUL_SET_UPDATABLE);
    if (isSameJson(fixed(set), fixed(old))) return [];
    const names = STATEFUL_SET_UPDATABLE.map((name) => `'${name}'`);
    const list = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
    return [forbiddenField(['spec'], `updates to statefulset spec for fields other than ${list} are forbidden`)];
  },
};

const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

/** Counts the versions of its template where old clients look for them. */
export const DAEMON_SET: KindRules = {
  generationOf: specOf,
  prepareCreate: (set) => withTemplateGeneration(set, 1),
  prepareUpdate(set, old) {
    const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const isSame = isSameJson(objectAt(set, 'spec', 'template'), objectAt(old, 'spec', 'template'));
    return withTemplateGeneration(set, isSame ? before : before + 1);
  },
  validateUpdate: immutable('selector'),
};

function withTemplateGeneration(set: KubeObject, generation: number): KubeObject {
  const annotations = { ...set.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return withMetadata(set, { annotations });
}

/** Selects its pods by its own UID unless the user takes that over. */
export const JOB: KindRules = {
  traits: { dependents: 'orphaned' },
  selectable: ['status.successful'],
  generationOf: specOf,
  prepareCreate: (job) => withTemplateLabels(isManual(job) ? job : withOwnSelector(job)),
  prepareUpdate: withTemplateLabels,
  prepareStatus: withTemplateLabels,
  validate: selectorProblems,
  validateUpdate(job, old) {
    const isSuspended = objectAt(old, 'spec')['suspend'] === true;
    return [
      ...immutable('completionMode', 'selector', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy')(job, old),
      ...(objectAt(job, 'spec')['completionMode'] === 'Indexed' ? [] : immutable('completions')(job, old)),
      ...(isSuspended ? [] : immutable('template')(job, old)),
    ];
  },
};

/** A job without labels of its own has those of its pods. */
function withTemplateLabels(job: KubeObject): KubeObject {
  const labels = objectAt(job, 'spec', 'template', 'metadata')['labels'] as Metadata['labels'];
  return Object.keys(job.metadata.labels ?? {}).length > 0 ? job : withMetadata(job, { labels });
}

const isManual = (job: KubeObject): boolean => objectAt(job, 'spec')['manualSelector'] === true;

const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';

function selectorProblems(job: KubeObject): readonly Problem[] {
  const selector = objectAt(job, 'spec', 'selector');
  if (isManual(job) || isSameJson(selector, { matchLabels: { [CONTROLLER_UID]: job.metadata.uid ?? '' } })) return [];
  return [invalidValue(['spec', 'selector'], selector, '`selector` not auto-generated')];
}

function withOwnSelector(job: KubeObject): KubeObject {
  const { uid = '' } = job.metadata;
  const name = job.metadata.name ?? ''; // a job without one is refused later, for that
  const spec = objectAt(job, 'spec');
  const template = objectAt(spec, 'template');
  const metadata = objectAt(template, 'metadata');
  const labels: JsonObject = {
    [CONTROLLER_UID]: uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
    ...objectAt(metadata, 'labels'),
  };
  // A job that has its labels from its template gets what is added to those, too.
  const isLabelled = isSameJson(job.metadata.labels, objectAt(metadata, 'labels')) && job.metadata.labels !== undefined;
  const own = isLabelled ? withMetadata(job, { labels: labels as Readonly<Record<string, string>> }) : job;
  const selector = objectAt(spec, 'selector');
  const matchLabels = { [CONTROLLER_UID]: uid, ...objectAt(selector, 'matchLabels') };
  return {
    ...own,
    spec: {
      ...spec,
      selector: { ...selector, matchLabels },
      template: { ...template, metadata: { ...metadata, labels } },
    },
  };
}

/** Nobody looks at its metadata: it may have names that no DNS knows. */
export const POD_DISRUPTION_BUDGET: KindRules = {
  generationOf: specOf,
  traits: { needsVersion: true },
  nameProblems: pathSegmentProblems,
  plainFinalizers: true,
};

export const POD_TEMPLATE: KindRules = {
  generationOf: (template) => template['template'],
  traits: { returnsDeleted: true },
};

/** A record of the past: what it holds does not change. */
export const CONTROLLER_REVISION: KindRules = {
  validateUpdate: (revision, old) =>
    isSameJson(revision['data'], old['data'])
      ? []
      : [invalidValue(['data'], revision['data'] ?? null, 'field is immutable')],
};

export const LEASE: KindRules = { traits: { createsOnUpdate: true, needsVersion: true }, plainFinalizers: true };

export const PRIORITY_CLASS: KindRules = {
  generationOf: () => 'never new',
  validateUpdate: (next, old) => [
    ...(next['value'] === old['value'] ? [] : [forbiddenField(['value'], 'may not be changed in an update.')]),
    ...(textAt(next, 'preemptionPolicy') === textAt(old, 'preemptionPolicy')
      ? []
      : [invalidValue(['preemptionPolicy'], next['preemptionPolicy'] ?? null, 'field is immutable')]),
  ],
};
