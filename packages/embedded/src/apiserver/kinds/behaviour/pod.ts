import { goQuote, type Json, type JsonObject } from '@karpenter-ts/kubernetes';
import { forbiddenField, invalidValue, type Problem } from '../../field-errors.ts';
import { isSameJson, without } from '../../json-value.ts';
import { type KubeObject, listAt, mergeMetadata, objectAt, scalarText, textAt, withMetadata } from '../../object.ts';
import { forbidden } from '../../status.ts';
import type { ObjectLookup } from '../../strategy.ts';
import type { KindRules } from './kind-rules.ts';
import { qosClassOf } from './qos-class.ts';

const PODS = { group: '', plural: 'pods' };

/** Pods are completed by admission plugins, hardly mutable once created, and deleted with a grace period. */
export const POD: KindRules = {
  traits: { returnsDeleted: true },
  selectable: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  generationOf: (pod) => pod['spec'],
  initialStatus: (pod) => ({ phase: 'Pending', ...gatedCondition(pod), qosClass: qosClassOf(pod) }),
  admit: (pod, old, lookup) => tolerateLoss(old ? keepAdmitted(pod, old) : admitPod(pod, lookup)),
  validateStatus,
  prepareStatus,
  validate: gateConflicts,
  validateCreate: createProblems,
  validateUpdate,
  graceSeconds,
};

function gatedCondition(pod: KubeObject): JsonObject {
  if (listAt(pod, 'spec', 'schedulingGates').length === 0) return {};
  const condition = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: pod.metadata.creationTimestamp!,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  };
  return { conditions: [condition] };
}

/** The default admission plugins: priority, default tolerations, service account, topology labels. */
function admitPod(pod: KubeObject, lookup: ObjectLookup): KubeObject {
  const spec = objectAt(pod, 'spec');
  checkRuntimeClass(pod, spec);
  const admitted = {
    ...spec,
    ...priorityOf(pod, spec, lookup),
    serviceAccountName: spec['serviceAccountName'] ?? 'default',
    serviceAccount: spec['serviceAccountName'] ?? 'default',
  };
  const next = { ...pod, spec: admitted };
  const topology = topologyLabels(textAt(pod, 'spec', 'nodeName'), lookup);
  return topology ? withMetadata(next, { labels: { ...pod.metadata.labels, ...topology } }) : next;
}

/** There are no runtime classes here. */
function checkRuntimeClass(pod: KubeObject, { runtimeClassName, overhead }: JsonObject): void {
  const refuse = (why: string) => forbidden(PODS, pod.metadata.name ?? '', `pod rejected: ${why}`);
  if (runtimeClassName) throw refuse(`RuntimeClass ${goQuote(scalarText(runtimeClassName))} not found`);
  if (overhead) throw refuse('Pod Overhead set without corresponding RuntimeClass defined Overhead');
}

function priorityOf(pod: KubeObject, spec: JsonObject, lookup: ObjectLookup): JsonObject {
  const name = textAt(spec, 'priorityClassName');
  const found = name === '' ? findDefaultClass(lookup) : lookup.find('scheduling.k8s.io/priorityclasses', name);
  const refuse = (why: string) => forbidden(PODS, pod.metadata.name ?? '', why);
  if (found === undefined && name !== '') throw refuse(`no PriorityClass with name ${name} was found`);
  const { value = 0, preemptionPolicy = 'PreemptLowerPriority' }: JsonObject = found ?? {};
  const { priority: sentPriority = value, preemptionPolicy: sentPolicy = preemptionPolicy } = spec;
  const computed = 'must not be provided in pod spec; priority admission controller computed';
  if (sentPriority !== value) {
    throw refuse(
      `the integer value of priority (${scalarText(sentPriority)}) ${computed} ${scalarText(value)} from the given PriorityClass name`,
    );
  }
  if (sentPolicy !== preemptionPolicy) {
    throw refuse(
      `the string value of PreemptionPolicy (${scalarText(sentPolicy)}) ${computed} ${scalarText(preemptionPolicy)} from the given PriorityClass name`,
    );
  }
  return { priority: value, preemptionPolicy, ...(found ? { priorityClassName: found.metadata.name } : {}) };
}

function findDefaultClass(lookup: ObjectLookup): KubeObject | undefined {
  return lookup.list('scheduling.k8s.io/priorityclasses').find((one) => one['globalDefault'] === true);
}

const ADMITTED = ['priority', 'preemptionPolicy', 'serviceAccountName', 'serviceAccount'];

/** Keeps what admission added, so that a client can update the pod without knowing it. */
function keepAdmitted(pod: KubeObject, old: KubeObject): KubeObject {
  const before = objectAt(old, 'spec');
  const kept = ADMITTED.filter((field) => before[field] !== undefined).map((field) => [field, before[field]!]);
  return { ...pod, spec: { ...(Object.fromEntries(kept) as JsonObject), ...objectAt(pod, 'spec') } };
}

const UNREADY = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** DefaultTolerationSeconds: a pod stays for five minutes on an unreachable node, unless it says otherwise. */
function tolerateLoss(pod: KubeObject): KubeObject {
  const tolerations = listAt(pod, 'spec', 'tolerations');
  const missing = UNREADY.filter((key) => !tolerations.some((one) => tolerates(one, key)));
  if (missing.length === 0) return pod;
  const added = missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 }));
  return { ...pod, spec: { ...objectAt(pod, 'spec'), tolerations: [...tolerations, ...added] } };
}

function tolerates({ key, effect }: JsonObject, taint: string): boolean {
  return (key === undefined || key === taint) && (effect === undefined || effect === 'NoExecute');
}

const TOPOLOGY_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

/** The topology labels of a node, which its pods get too; undefined if it has none. */
export function topologyLabels(node: string, lookup: ObjectLookup): Readonly<Record<string, string>> | undefined {
  const labels = node === '' ? undefined : lookup.entry('/nodes', node)?.labels;
  if (labels === undefined) return undefined;
  const found = TOPOLOGY_LABELS.filter((key) => Object.hasOwn(labels, key)).map((key) => [key, labels[key]!]);
  return found.length > 0 ? (Object.fromEntries(found) as Record<string, string>) : undefined;
}

/** Kubelets write the status, but not owner references or the quality of service class. */
function prepareStatus(pod: KubeObject, old: KubeObject): KubeObject {
  const { ownerReferences } = old.metadata;
  const { qosClass } = objectAt(old, 'status');
  const status = { ...(qosClass !== undefined && { qosClass }), ...objectAt(pod, 'status') };
  return { ...pod, metadata: mergeMetadata(pod.metadata, { ownerReferences }), status };
}

function validateStatus(pod: KubeObject, old: KubeObject): readonly Problem[] {
  const next = textAt(pod, 'status', 'qosClass');
  if (next === textAt(old, 'status', 'qosClass')) return [];
  return [invalidValue(['status', 'qosClass'], next, 'field is immutable')];
}

const UPDATABLE =
  '`spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** Debugging containers come later, to a pod that runs. */
function createProblems(pod: KubeObject): readonly Problem[] {
  if (listAt(pod, 'spec', 'ephemeralContainers').length === 0) return [];
  return [forbiddenField(['spec', 'ephemeralContainers'], 'cannot be set on create')];
}

function gateConflicts(pod: KubeObject): readonly Problem[] {
  if (textAt(pod, 'spec', 'nodeName') === '' || listAt(pod, 'spec', 'schedulingGates').length === 0) return [];
  return [forbiddenField(['spec', 'nodeName'], 'cannot be set until all schedulingGates have been cleared')];
}

function validateUpdate(pod: KubeObject, old: KubeObject): readonly Problem[] {
  for (const list of ['containers', 'initContainers']) {
    if (listAt(pod, 'spec', list).length === listAt(old, 'spec', list).length) continue;
    return [forbiddenField(['spec', list], 'pod updates may not add or remove containers')];
  }
  const problems = [...deadlineProblems(pod, old), ...tolerationProblems(pod, old), ...gateProblems(pod, old)];
  const gated = listAt(old, 'spec', 'schedulingGates').length > 0;
  if (isSameJson(fixedPart(pod, gated), fixedPart(old, gated))) return problems;
  return [...problems, forbiddenField(['spec'], `pod updates may not change fields other than ${UPDATABLE}\n`)];
}

/** The immutable part of a pod's spec. While it has a scheduling gate, its node selection may still be restricted. */
function fixedPart(pod: KubeObject, gated: boolean): JsonObject {
  const spec = without(objectAt(pod, 'spec'), 'activeDeadlineSeconds', 'tolerations', 'schedulingGates');
  const imageless = (list: string): Json => listAt(pod, 'spec', list).map((container) => without(container, 'image'));
  const fixed = { ...spec, containers: imageless('containers'), initContainers: imageless('initContainers') };
  return gated
    ? without({ ...fixed, affinity: without(objectAt(spec, 'affinity'), 'nodeAffinity') }, 'nodeSelector')
    : fixed;
}

function deadlineProblems(pod: KubeObject, old: KubeObject): readonly Problem[] {
  const path = ['spec', 'activeDeadlineSeconds'];
  const { activeDeadlineSeconds: next } = objectAt(pod, 'spec');
  const { activeDeadlineSeconds: before } = objectAt(old, 'spec');
  if (typeof before !== 'number') return [];
  if (next === undefined) return [invalidValue(path, null, 'must not update from a positive integer to nil value')];
  return before < (next as number) ? [invalidValue(path, next, 'must be less than or equal to previous value')] : [];
}

function tolerationProblems(pod: KubeObject, old: KubeObject): readonly Problem[] {
  const next = listAt(pod, 'spec', 'tolerations').map((one) => without(one, 'tolerationSeconds'));
  const isKept = listAt(old, 'spec', 'tolerations').every((one) =>
    next.some((other) => isSameJson(other, without(one, 'tolerationSeconds'))),
  );
  const why = 'existing toleration can not be modified except its tolerationSeconds';
  return isKept ? [] : [forbiddenField(['spec', 'tolerations'], why)];
}

function gateProblems(pod: KubeObject, old: KubeObject): readonly Problem[] {
  const before = new Set(listAt(old, 'spec', 'schedulingGates').map(({ name }) => name));
  return listAt(pod, 'spec', 'schedulingGates').flatMap(({ name }, index) =>
    before.has(name)
      ? []
      : [
          forbiddenField(
            ['spec', 'schedulingGates', index, 'name'],
            `only deletion is allowed, but found new scheduling gate '${scalarText(name)}'`,
          ),
        ],
  );
}

/** A pod that was never bound, or has ended, is deleted without grace. */
function graceSeconds(pod: KubeObject, asked: number | undefined): number {
  const spec = objectAt(pod, 'spec');
  const phase = textAt(pod, 'status', 'phase');
  if (textAt(spec, 'nodeName') === '' || phase === 'Failed' || phase === 'Succeeded') return 0;
  const seconds = asked ?? spec['terminationGracePeriodSeconds'] ?? 0;
  return (seconds as number) < 0 ? 1 : (seconds as number);
}
