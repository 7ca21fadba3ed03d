import { formatLabelSelector, labelSelectorFrom, type LabelSelectorSpec } from '@karpenter-ts/kubernetes';
import { type KubeObject, listAt, objectAt, textAt } from '../object.ts';
import { AGE, type Cell, type Column, column, formatLabels, integer, NAME, numberAt, wide } from './column.ts';
import { ageOf, formatHumanDuration } from './human-duration.ts';

const CONTAINERS = wide('Containers', (object) => joinTemplate(object, 'name'));
const IMAGES = wide('Images', (object) => joinTemplate(object, 'image'));
const SELECTOR = wide('Selector', (object) => selectorOf(object) || '<none>');

const DESIRED = integer('Desired', (object) => numberAt(object, 'spec', 'replicas'));
const CURRENT = integer('Current', (object) => numberAt(object, 'status', 'replicas'));
const READY = integer('Ready', (object) => numberAt(object, 'status', 'readyReplicas'));
const READY_OF_DESIRED = column(
  'Ready',
  (object) => `${numberAt(object, 'status', 'readyReplicas')}/${numberAt(object, 'spec', 'replicas')}`,
);

const status = (field: string) => (object: KubeObject) => numberAt(object, 'status', field);

/** The columns of what runs pods, by kind. */
export const WORKLOAD_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  ControllerRevision: [
    NAME,
    column('Controller', controllerOf),
    column('Revision', (object) => numberAt(object, 'revision')),
    AGE,
  ],
  DaemonSet: [
    NAME,
    integer('Desired', status('desiredNumberScheduled')),
    integer('Current', status('currentNumberScheduled')),
    integer('Ready', status('numberReady')),
    integer('Up-to-date', status('updatedNumberScheduled')),
    integer('Available', status('numberAvailable')),
    column('Node Selector', (object) => formatLabels(objectAt(object, 'spec', 'template', 'spec', 'nodeSelector'))),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  Deployment: [
    NAME,
    READY_OF_DESIRED,
    column('Up-to-date', status('updatedReplicas')),
    column('Available', status('availableReplicas')),
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', selectorOf),
  ],
  Job: [
    NAME,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', duration),
    AGE,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  PodDisruptionBudget: [
    NAME,
    column('Min Available', ({ spec }) => boundOf(spec, 'minAvailable')),
    column('Max Unavailable', ({ spec }) => boundOf(spec, 'maxUnavailable')),
    integer('Allowed Disruptions', status('disruptionsAllowed')),
    AGE,
  ],
  PodTemplate: [
    NAME,
    column('Containers', CONTAINERS.cell),
    column('Images', IMAGES.cell),
    column('Pod Labels', (object) => formatLabels(objectAt(object, 'template', 'metadata', 'labels'))),
  ],
  ReplicaSet: [NAME, DESIRED, CURRENT, READY, AGE, CONTAINERS, IMAGES, SELECTOR],
  ReplicationController: [
    NAME,
    DESIRED,
    CURRENT,
    READY,
    AGE,
    CONTAINERS,
    IMAGES,
    wide('Selector', (object) => formatLabels(objectAt(object, 'spec', 'selector'))),
  ],
  StatefulSet: [NAME, READY_OF_DESIRED, AGE, CONTAINERS, IMAGES],
};

/** Of the pod template's containers, wherever the kind keeps it. */
function joinTemplate(object: KubeObject, field: 'name' | 'image'): string {
  const owner = object.kind === 'PodTemplate' ? object : objectAt(object, 'spec');
  return listAt(owner, 'template', 'spec', 'containers')
    .map((container) => textAt(container, field))
    .join(',');
}

function selectorOf(object: KubeObject): string {
  return formatLabelSelector(labelSelectorFrom(objectAt(object, 'spec')['selector'] as LabelSelectorSpec | undefined));
}

function controllerOf({ metadata }: KubeObject): string {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller);
  if (owner === undefined) return '<none>';
  const [group, version] = owner.apiVersion.split('/');
  return `${owner.kind}${version === undefined ? '' : `.${group}`}`.toLowerCase() + `/${owner.name}`;
}

function boundOf(spec: KubeObject[string], field: 'minAvailable' | 'maxUnavailable'): string {
  const bound = objectAt({ spec }, 'spec')[field];
  return typeof bound === 'number' || typeof bound === 'string' ? String(bound) : 'N/A';
}

function completions(job: KubeObject): string {
  const { completions: wanted, parallelism } = objectAt(job, 'spec');
  const succeeded = numberAt(job, 'status', 'succeeded');
  if (typeof wanted === 'number') return `${succeeded}/${wanted}`;
  return typeof parallelism === 'number' && parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function duration(job: KubeObject, now: number): Cell {
  const start = textAt(job, 'status', 'startTime');
  const end = textAt(job, 'status', 'completionTime');
  if (start === '') return '';
  return end === '' ? ageOf(start, now) : formatHumanDuration(Date.parse(end) - Date.parse(start));
}

function jobStatus(job: KubeObject): string {
  const has = (type: string): boolean =>
    listAt(job, 'status', 'conditions').some(
      (condition) => condition['type'] === type && condition['status'] === 'True',
    );
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp) return 'Terminating';
  return ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'].find(has) ?? 'Running';
}
