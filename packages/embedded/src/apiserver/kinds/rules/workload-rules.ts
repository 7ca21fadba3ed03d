import {
  type JsonObject,
  LabelSelectorError,
  labelSelectorFrom,
  type LabelSelectorSpec,
  matchesLabels,
} from '@karpenter-ts/kubernetes';
import { forbiddenField, InnerForm, invalidValue, notSupported, type Problem, required } from '../../field-errors.ts';
import { isJsonObject } from '../../json-value.ts';
import { objectAt, scalarText } from '../../object.ts';
import {
  all,
  atLeast,
  dnsLabel,
  itemsOf,
  needs,
  oneOf,
  type Path,
  type StructRule,
  type StructRules,
  shaped,
} from './struct-rule.ts';

/** Controllers that make pods, and budgets that keep them. */
export const WORKLOAD_RULES: StructRules = {
  'apps.DeploymentSpec': all(
    atLeast(0, 'replicas', 'minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
    selecting('deployment'),
    runningForever('ReplicaSet'),
    deploymentStrategyProblems,
    progressDeadlineProblems,
  ),
  'apps.ReplicaSetSpec': all(
    atLeast(0, 'replicas', 'minReadySeconds'),
    selecting('deployment'),
    runningForever('ReplicaSet'),
  ),
  'apps.StatefulSetSpec': all(
    podManagementProblems,
    atLeast(0, 'replicas', 'minReadySeconds', 'revisionHistoryLimit'),
    shaped(dnsLabel, 'serviceName'),
    selecting('statefulset'),
    runningForever('StatefulSet'),
  ),
  'apps.DaemonSetSpec': all(
    selecting('daemonset'),
    runningForever('DaemonSet'),
    atLeast(0, 'minReadySeconds', 'revisionHistoryLimit'),
    daemonSetStrategyProblems,
  ),
  'core.ReplicationControllerSpec': all(
    atLeast(0, 'replicas', 'minReadySeconds'),
    needs('template'),
    plainSelectorProblems,
    runningForever('ReplicationController'),
  ),
  'batch.JobSpec': all(
    atLeast(
      0,
      'parallelism',
      'completions',
      'activeDeadlineSeconds',
      'backoffLimit',
      'ttlSecondsAfterFinished',
      'backoffLimitPerIndex',
      'maxFailedIndexes',
    ),
    oneOf('completionMode', 'NonIndexed', 'Indexed'),
    needs('selector'),
    templateMatchProblems,
    jobRestartProblems,
    indexedProblems,
  ),
  'apps.ControllerRevision': all(
    (revision, path) => (revision['data'] ? [] : [required([...path, 'data'], 'data is mandatory')]),
    atLeast(0, 'revision'),
  ),
  'policy.PodDisruptionBudgetSpec': all(
    (spec, path) =>
      spec['minAvailable'] !== undefined && spec['maxUnavailable'] !== undefined
        ? [invalidValue(path, shownBudget(spec), 'minAvailable and maxUnavailable cannot be both set')]
        : [],
    shareProblems('minAvailable', 100),
    shareProblems('maxUnavailable', 100),
    oneOf('unhealthyPodEvictionPolicy', 'AlwaysAllow', 'IfHealthyBudget'),
  ),
};

function shownBudget(spec: JsonObject): InnerForm {
  const { minAvailable = null, selector = null, maxUnavailable = null, unhealthyPodEvictionPolicy = null } = spec;
  return new InnerForm({
    MinAvailable: minAvailable,
    Selector: selector,
    MaxUnavailable: maxUnavailable,
    UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy,
  });
}

function selecting(kind: string): StructRule {
  return (spec, path) => {
    const selector = spec['selector'];
    const match = templateMatchProblems(spec, path);
    if (!isJsonObject(selector)) return kind === 'daemonset' ? match : [required([...path, 'selector']), ...match];
    const count = Object.keys(objectAt(selector, 'matchLabels')).length + itemsOf(selector, 'matchExpressions').length;
    if (count === 0) return [invalidValue([...path, 'selector'], selector, `empty selector is invalid for ${kind}`)];
    return match;
  };
}

/** A selector that cannot be understood is wrong twice: here, and where it goes wrong. */
function templateMatchProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const labels = objectAt(spec, 'template', 'metadata')['labels'];
  const sent = (spec['selector'] ?? undefined) as (LabelSelectorSpec & JsonObject) | undefined;
  try {
    const isMatch = matchesLabels(labelSelectorFrom(sent), (labels ?? {}) as Readonly<Record<string, string>>);
    return isMatch ? [] : [mismatch(labels, path)];
  } catch (error) {
    if (!(error instanceof LabelSelectorError)) throw error;
    return [invalidValue([...path, 'selector'], sent!, 'invalid label selector')];
  }
}

function mismatch(labels: JsonObject[string], path: Path): Problem {
  return invalidValue(
    [...path, 'template', 'metadata', 'labels'],
    labels ?? null,
    '`selector` does not match template `labels`',
  );
}

function plainSelectorProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const selector = objectAt(spec, 'selector');
  if (Object.keys(selector).length === 0) return [required([...path, 'selector'])];
  const labels = objectAt(spec, 'template', 'metadata', 'labels');
  return Object.entries(selector).every(([key, value]) => labels[key] === value) ? [] : [mismatch(labels, path)];
}

/** Pods of these are restarted for ever; only Jobs make pods that end. */
function runningForever(kind: string): StructRule {
  return (spec, path) => {
    const { restartPolicy, activeDeadlineSeconds } = objectAt(spec, 'template', 'spec');
    const place = [...path, 'template', 'spec'];
    const problems: Problem[] = [];
    if (restartPolicy !== undefined && restartPolicy !== 'Always') {
      problems.push(notSupported([...place, 'restartPolicy'], restartPolicy, ['Always']));
    }
    if (activeDeadlineSeconds !== undefined) {
      problems.push(
        forbiddenField([...place, 'activeDeadlineSeconds'], `activeDeadlineSeconds in ${kind} is not Supported`),
      );
    }
    return problems;
  };
}

function jobRestartProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const { restartPolicy = '' } = objectAt(spec, 'template', 'spec');
  const place = [...path, 'template', 'spec', 'restartPolicy'];
  if (restartPolicy === '' || restartPolicy === 'Always')
    return [required(place, 'valid values: "OnFailure", "Never"')];
  if (restartPolicy !== 'OnFailure' && restartPolicy !== 'Never') {
    return [notSupported(place, restartPolicy, ['OnFailure', 'Never'])];
  }
  if (spec['podFailurePolicy'] === undefined || restartPolicy === 'Never') return [];
  return [invalidValue(place, restartPolicy, 'only "Never" is supported when podFailurePolicy is specified')];
}

function indexedProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const { completionMode, completions } = spec;
  if (completionMode === 'Indexed') {
    return completions === undefined ? [required([...path, 'completions'], 'when completion mode is Indexed')] : [];
  }
  if (completionMode !== 'NonIndexed') return [];
  return ['backoffLimitPerIndex', 'maxFailedIndexes'].flatMap((field) =>
    spec[field] === undefined ? [] : [invalidValue([...path, field], spec[field], 'requires indexed completion mode')],
  );
}

function podManagementProblems(
  { podManagementPolicy = '', updateStrategy }: JsonObject,
  path: Path,
): readonly Problem[] {
  const problems: Problem[] = [];
  if (podManagementPolicy !== 'OrderedReady' && podManagementPolicy !== 'Parallel') {
    problems.push(
      invalidValue([...path, 'podManagementPolicy'], podManagementPolicy, "must be 'OrderedReady' or 'Parallel'"),
    );
  }
  const { type } = isJsonObject(updateStrategy) ? updateStrategy : {};
  if (type !== 'RollingUpdate' && type !== 'OnDelete') {
    problems.push(
      invalidValue(
        [...path, 'updateStrategy'],
        shownStrategy(objectAt({ updateStrategy }, 'updateStrategy')),
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    );
  }
  return problems;
}

function shownStrategy({ type = '', rollingUpdate = null }: JsonObject): InnerForm {
  return new InnerForm({ Type: type, RollingUpdate: rollingUpdate });
}

function deploymentStrategyProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const strategy = objectAt(spec, 'strategy');
  const place = [...path, 'strategy'];
  const { type, rollingUpdate } = strategy;
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    return [forbiddenField([...place, 'rollingUpdate'], "may not be specified when strategy `type` is 'Recreate'")];
  }
  if (type !== 'RollingUpdate') return [notSupported(place, shownStrategy(strategy), ['Recreate', 'RollingUpdate'])];
  const update = objectAt(strategy, 'rollingUpdate');
  const inner = [...place, 'rollingUpdate'];
  const problems = [...shareProblems('maxUnavailable')(update, inner), ...shareProblems('maxSurge')(update, inner)];
  if (isNone(update['maxUnavailable']) && isNone(update['maxSurge'])) {
    const why = 'may not be 0 when `maxSurge` is 0';
    problems.push(invalidValue([...inner, 'maxUnavailable'], update['maxUnavailable'] ?? 0, why));
  }
  return [...problems, ...overProblems('maxUnavailable', 100)(update, inner)];
}

function daemonSetStrategyProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const strategy = objectAt(spec, 'updateStrategy');
  const place = [...path, 'updateStrategy'];
  if (strategy['type'] === 'OnDelete') return [];
  if (strategy['type'] !== 'RollingUpdate')
    return [notSupported(place, shownStrategy(strategy), ['RollingUpdate', 'OnDelete'])];
  const update = objectAt(strategy, 'rollingUpdate');
  const inner = [...place, 'rollingUpdate'];
  const problems = [
    ...shareProblems('maxUnavailable', 100)(update, inner),
    ...shareProblems('maxSurge', 100)(update, inner),
  ];
  const { maxUnavailable, maxSurge = 0 } = update;
  if (!isNone(maxUnavailable) && !isNone(maxSurge)) {
    problems.push(invalidValue([...inner, 'maxSurge'], maxSurge, 'may not be set when maxUnavailable is non-zero'));
  } else if (isNone(maxUnavailable) && isNone(maxSurge)) {
    problems.push(required([...inner, 'maxUnavailable'], 'cannot be 0 when maxSurge is 0'));
  }
  return problems;
}

function progressDeadlineProblems(spec: JsonObject, path: Path): readonly Problem[] {
  const { progressDeadlineSeconds: deadline, minReadySeconds = 0 } = spec;
  if (typeof deadline !== 'number' || deadline > (minReadySeconds as number)) return [];
  return [invalidValue([...path, 'progressDeadlineSeconds'], deadline, 'must be greater than minReadySeconds')];
}

const PERCENT = /^[0-9]+%$/;

/** A count or a percentage, not below zero and, if so said, not above a share of all. */
function shareProblems(field: string, most?: number): StructRule {
  return (value, path) => {
    const share = value[field];
    const place = [...path, field];
    if (typeof share === 'number' && share < 0)
      return [invalidValue(place, share, 'must be greater than or equal to 0')];
    if (typeof share === 'string' && !PERCENT.test(share)) {
      const why =
        "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
      return [invalidValue(place, share, why)];
    }
    return most === undefined ? [] : overProblems(field, most)(value, path);
  };
}

function overProblems(field: string, most: number): StructRule {
  return (value, path) => {
    const share = value[field];
    if (typeof share !== 'string' || !PERCENT.test(share) || Number.parseInt(share, 10) <= most) return [];
    return [invalidValue([...path, field], share, `must not be greater than ${most}%`)];
  };
}

const isNone = (share: JsonObject[string]): boolean => Number.parseInt(scalarText(share ?? 0), 10) === 0;

/** The StatefulSet as its pods will be: each claim is a volume of theirs, in place of any other of its name. */
export function withClaimVolumes(spec: JsonObject): JsonObject {
  const { template } = spec;
  const claims = itemsOf(spec, 'volumeClaimTemplates').flatMap(({ metadata }) => {
    const name = isJsonObject(metadata) ? metadata['name'] : undefined;
    return name === undefined ? [] : [{ name, persistentVolumeClaim: { claimName: name } }];
  });
  if (claims.length === 0 || !isJsonObject(template) || !isJsonObject(template['spec'])) return spec;
  const names = new Set(claims.map(({ name }) => name));
  const others = itemsOf(template['spec'], 'volumes').filter(({ name }) => name === undefined || !names.has(name));
  return { ...spec, template: { ...template, spec: { ...template['spec'], volumes: [...claims, ...others] } } };
}
