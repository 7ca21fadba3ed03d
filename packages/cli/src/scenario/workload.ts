import type { Scenario } from '@karpenter-ts/apis/manifests';
import {
  type ApiObject,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  POD_DISRUPTION_BUDGETS,
  type ResourceType,
  STATEFUL_SETS,
} from '@karpenter-ts/kubernetes';

export type Workload = Scenario['spec']['workloads'][number];

const NAMESPACE = 'default';
const IMAGE = 'pause'; // never pulled: simulated kubelets run nothing

const TYPES: Readonly<Record<Workload['kind'], ResourceType>> = {
  Deployment: DEPLOYMENTS,
  StatefulSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
  Job: JOBS,
};

/** Where a workload is found in the API. */
export function refOf({ kind, name }: Workload): {
  readonly type: ResourceType;
  readonly ref: { readonly namespace: string; readonly name: string };
} {
  return { type: TYPES[kind], ref: { namespace: NAMESPACE, name } };
}

/** What to create for a workload: itself, and a budget if evictions are to be held back. */
export function objectsOf(workload: Workload): readonly { readonly type: ResourceType; readonly object: ApiObject }[] {
  const { type, ref } = refOf(workload);
  const matchLabels = { app: workload.name };
  const own: ApiObject & { readonly spec: object } = { metadata: ref, spec: specOf(workload, matchLabels) };
  if (workload.maxUnavailable === undefined) return [{ type, object: own }];
  const { maxUnavailable } = workload;
  const budget: ApiObject & { readonly spec: object } = {
    metadata: ref,
    spec: { maxUnavailable, selector: { matchLabels } },
  };
  return [
    { type, object: own },
    { type: POD_DISRUPTION_BUDGETS, object: budget },
  ];
}

function specOf({ kind, name, replicas, requests = {}, podSpec = {} }: Workload, labels: object): object {
  const container = { name: 'app', image: IMAGE, resources: { requests } };
  const template = { metadata: { labels }, spec: { containers: [container], ...podSpec } };
  const selected = { selector: { matchLabels: labels }, template };
  if (kind === 'DaemonSet') return selected;
  if (kind === 'Deployment') return { ...selected, replicas };
  if (kind === 'StatefulSet') return { ...selected, replicas, serviceName: name, podManagementPolicy: 'Parallel' };
  const finite = { ...template, spec: { restartPolicy: 'Never', ...template.spec } };
  return { parallelism: replicas, completions: replicas, template: finite };
}
