import type { Descriptions } from './descriptions.ts';

const REPLICAS = 'How many pods there should be.';
const SELECTOR = 'Which pods are its own. It must match the labels of the template, and cannot change.';
const TEMPLATE = 'What the pods look like.';
const MIN_READY = 'How long a pod must have been ready to count as available.';
const HISTORY = 'How many old revisions are kept. 10 unless said otherwise.';
const SEEN = 'The generation of the spec that this status is about.';
const AVAILABLE = 'Pods that have been ready long enough.';
const READY = 'Pods that are ready.';
const DESIRED = 'What should run. Set by you.';
const ACTUAL = 'What runs. Written by the system.';

/** What `kubectl explain` says of what runs pods. */
export const WORKLOAD_DESCRIPTIONS: Descriptions = {
  'apps.DaemonSet': { '': 'Runs one pod on every node that fits.', spec: DESIRED, status: ACTUAL },
  'apps.DaemonSetSpec': {
    minReadySeconds: MIN_READY,
    revisionHistoryLimit: HISTORY,
    selector: SELECTOR,
    template: `${TEMPLATE} Its node selector and affinity choose the nodes.`,
    updateStrategy: 'RollingUpdate, or OnDelete to replace only pods that you delete.',
  },
  'apps.DaemonSetStatus': {
    currentNumberScheduled: 'Nodes that should have a pod and have one.',
    desiredNumberScheduled: 'Nodes that should have a pod.',
    numberAvailable: AVAILABLE,
    numberMisscheduled: 'Nodes that have a pod and should not.',
    numberReady: READY,
    observedGeneration: SEEN,
    updatedNumberScheduled: 'Nodes whose pod is of the newest template.',
  },
  'apps.Deployment': {
    '': 'Keeps a number of equal pods, and replaces them step by step.',
    spec: DESIRED,
    status: ACTUAL,
  },
  'apps.DeploymentSpec': {
    minReadySeconds: MIN_READY,
    paused: 'Whether changes of the template wait.',
    progressDeadlineSeconds: 'A roll-out that stands still this long has failed. 600 unless said otherwise.',
    replicas: REPLICAS,
    revisionHistoryLimit: HISTORY,
    selector: SELECTOR,
    strategy: 'How old pods are replaced by new ones.',
    template: TEMPLATE,
  },
  'apps.DeploymentStatus': {
    availableReplicas: AVAILABLE,
    conditions: 'Available, Progressing and ReplicaFailure.',
    observedGeneration: SEEN,
    readyReplicas: READY,
    replicas: 'Pods there are.',
    unavailableReplicas: 'Pods still missing.',
    updatedReplicas: 'Pods of the newest template.',
  },
  'apps.DeploymentStrategy': {
    rollingUpdate: 'How many at a time, for RollingUpdate.',
    type: 'RollingUpdate, or Recreate to end all old pods first.',
  },
  'apps.ReplicaSet': { '': 'Keeps a number of equal pods. Made by Deployments.', spec: DESIRED, status: ACTUAL },
  'apps.ReplicaSetSpec': { minReadySeconds: MIN_READY, replicas: REPLICAS, selector: SELECTOR, template: TEMPLATE },
  'apps.RollingUpdateDeployment': {
    maxSurge: 'Pods there may be beyond the number, or a percentage of it.',
    maxUnavailable: 'Pods that may be missing, or a percentage of the number.',
  },
  'apps.StatefulSet': { '': 'Keeps numbered pods, each with its own name and storage.', spec: DESIRED, status: ACTUAL },
  'apps.StatefulSetSpec': {
    minReadySeconds: MIN_READY,
    persistentVolumeClaimRetentionPolicy: 'Whether claims are deleted with their pods.',
    podManagementPolicy: 'OrderedReady to start and end pods one by one, or Parallel.',
    replicas: REPLICAS,
    revisionHistoryLimit: HISTORY,
    selector: SELECTOR,
    serviceName: 'The service that gives the pods their names.',
    template: TEMPLATE,
    updateStrategy: 'RollingUpdate, or OnDelete to replace only pods that you delete.',
    volumeClaimTemplates: 'Claims that every pod gets, and keeps when it is replaced.',
  },
  'batch.Job': { '': 'Runs pods until enough of them have succeeded.', spec: DESIRED, status: ACTUAL },
  'batch.JobSpec': {
    activeDeadlineSeconds: 'The job fails after this time.',
    backoffLimit: 'Failures after which the job fails. 6 unless said otherwise.',
    completionMode: 'NonIndexed, or Indexed to give each completion a number.',
    completions: 'How many pods must succeed.',
    parallelism: 'How many pods run at a time.',
    podFailurePolicy: 'Which failures count, and which end the job.',
    suspend: 'Whether it waits. Suspending a job that runs ends its pods.',
    template: TEMPLATE,
    ttlSecondsAfterFinished: 'How long the job is kept after its end.',
  },
  'batch.JobStatus': {
    active: 'Pods that run or wait.',
    completionTime: 'When it was done.',
    conditions: 'Complete, Failed or Suspended.',
    failed: 'Pods that failed.',
    startTime: 'When it began.',
    succeeded: 'Pods that succeeded.',
  },
  'policy.PodDisruptionBudget': {
    '': 'Limits how many pods may be missing on purpose at a time. Evictions beyond it are refused.',
    spec: 'Which pods, and how many.',
    status: 'How many may go now. Written by the system.',
  },
  'policy.PodDisruptionBudgetSpec': {
    maxUnavailable: 'Pods that may be missing, or a percentage. Not together with minAvailable.',
    minAvailable: 'Pods that must stay, or a percentage. Not together with maxUnavailable.',
    selector: 'Which pods; empty is all of the namespace.',
    unhealthyPodEvictionPolicy: 'IfHealthyBudget, or AlwaysAllow to let pods go that are not ready anyway.',
  },
  'policy.PodDisruptionBudgetStatus': {
    currentHealthy: 'Pods that are ready.',
    desiredHealthy: 'Pods that must stay.',
    disruptedPods: 'Pods that were let go and are still there, with the time.',
    disruptionsAllowed: 'Pods that may go now.',
    expectedPods: 'Pods there should be.',
  },
};
