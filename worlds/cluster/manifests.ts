import { CAPACITY_TYPE_LABEL, DO_NOT_DISRUPT, type NodeRequirement } from '@karpenter-ts/apis';
import {
  type ApiObject,
  apiVersionOf,
  DAEMON_SETS,
  DEPLOYMENTS,
  JOBS,
  POD_DISRUPTION_BUDGETS,
  type ResourceType,
  STATEFUL_SETS,
  STORAGE_CLASSES,
} from '@karpenter-ts/kubernetes';
import { NODE_POOLS } from '@karpenter-ts/apis';
import type { PoolPlan, WorkloadPlan, WorldPlan } from '../plan/world-plan.ts';
import { nodeClass, NODE_CLASS, nodeClassesOf } from './node-class.ts';

/** An object to be created, and where. */
export interface Manifest {
  readonly type: ResourceType;
  readonly object: ApiObject;
}

export const NAMESPACE = 'default';
/** The pool that every world has. */
export const FALLBACK = 'fallback';
/** A finalizer that only the world removes. */
export const HELD = 'worlds.test/held';
const TAINT = { key: 'worlds.test/reserved', effect: 'NoSchedule' };
const STORAGE_CLASS = 'simulated';

const WORKLOAD_TYPES: Readonly<Record<WorkloadPlan['kind'], ResourceType>> = {
  Deployment: DEPLOYMENTS,
  StatefulSet: STATEFUL_SETS,
  DaemonSet: DAEMON_SETS,
  Job: JOBS,
};

/** Where a workload is found. */
export function typeOf({ kind }: WorkloadPlan): ResourceType {
  return WORKLOAD_TYPES[kind];
}

/** What every world begins with. */
export function baseManifests(cloud: WorldPlan['cloud']): readonly Manifest[] {
  const provisioner = 'simulated.csi.karpenter-ts.dev';
  return [
    manifest(STORAGE_CLASSES, { name: STORAGE_CLASS }, { provisioner, volumeBindingMode: 'WaitForFirstConsumer' }),
    nodeClassManifest(cloud),
    // Without limits, taints or an end: as long as it is there, every pod of a world can run.
    pool({ name: FALLBACK, isTainted: false, expireAfter: 'Never' }, cloud),
  ];
}

export function nodeClassManifest(cloud: WorldPlan['cloud']): Manifest {
  return { type: nodeClassesOf(cloud), object: nodeClass(cloud) };
}

export function pool(
  plan: Omit<PoolPlan, 'weight'> & { readonly weight?: number },
  cloud: WorldPlan['cloud'],
): Manifest {
  const { name, weight, cpuLimit, isTainted, expireAfter, terminationGracePeriod, capacityType, disruption } = plan;
  const { group, kind } = nodeClassesOf(cloud);
  const spec = {
    nodeClassRef: { group, kind, name: NODE_CLASS },
    requirements: capacityType === undefined ? [] : [only(capacityType)],
    ...(expireAfter !== undefined && { expireAfter }),
    ...(isTainted && { taints: [TAINT] }),
    ...(terminationGracePeriod !== undefined && { terminationGracePeriod }),
  };
  return manifest(
    NODE_POOLS,
    { name },
    {
      spec: {
        template: { ...(plan.protectsNodes && { metadata: { annotations: { [DO_NOT_DISRUPT]: 'true' } } }), spec },
        ...(disruption && { disruption }),
        ...(weight !== undefined && { weight }),
        ...(cpuLimit !== undefined && { limits: { cpu: String(cpuLimit) } }),
      },
    },
  );
}

/** The requirement of a pool that buys one capacity type only. */
export function only(capacityType: string): NodeRequirement {
  return { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [capacityType] };
}

/** A workload, and its budget if it has one. */
export function workload(plan: WorkloadPlan): readonly Manifest[] {
  const { name, maxUnavailable } = plan;
  const metadata = { name, namespace: NAMESPACE };
  const selector = { matchLabels: { app: name } };
  const own = manifest(typeOf(plan), metadata, { spec: workloadSpec(plan, selector) });
  if (maxUnavailable === undefined) return [own];
  return [own, manifest(POD_DISRUPTION_BUDGETS, metadata, { spec: { maxUnavailable, selector } })];
}

function workloadSpec(plan: WorkloadPlan, selector: object): object {
  const { kind, name, replicas, hasVolume } = plan;
  const template = podTemplate(plan, selector);
  switch (kind) {
    case 'Deployment':
      return { replicas, selector, template };
    case 'DaemonSet':
      return { selector, template };
    case 'Job':
      return { parallelism: replicas, completions: replicas, template };
    case 'StatefulSet': {
      const podManagementPolicy = 'Parallel';
      const volumeClaimTemplates = hasVolume ? [volumeClaim()] : [];
      return { replicas, selector, template, serviceName: name, podManagementPolicy, volumeClaimTemplates };
    }
    default:
      return kind satisfies never;
  }
}

function podTemplate(plan: WorkloadPlan, labelSelector: object): object {
  const { name, kind, cpu, graceSeconds, tolerates, protection, hasFinalizer, hasVolume, isSpread } = plan;
  const mounts = hasVolume ? { volumeMounts: [{ name: 'data', mountPath: '/data' }] } : {};
  const spread = {
    topologyKey: 'kubernetes.io/hostname',
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector,
  };
  return {
    metadata: {
      labels: { app: name },
      ...(protection !== undefined && { annotations: { [DO_NOT_DISRUPT]: protection } }),
      ...(hasFinalizer && { finalizers: [HELD] }),
    },
    spec: {
      terminationGracePeriodSeconds: graceSeconds,
      containers: [{ name: 'main', image: 'none', resources: { requests: { cpu, memory: '64Mi' } }, ...mounts }],
      ...(kind === 'Job' && { restartPolicy: 'Never' }),
      ...(kind === 'DaemonSet' && { tolerations: [{ operator: 'Exists' }] }),
      ...(kind !== 'DaemonSet' && tolerates && { tolerations: [{ key: TAINT.key, operator: 'Exists' }] }),
      ...(isSpread && { topologySpreadConstraints: [spread] }),
    },
  };
}

function volumeClaim(): object {
  const resources = { requests: { storage: '1Gi' } };
  return {
    metadata: { name: 'data' },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: STORAGE_CLASS, resources },
  };
}

function manifest(type: ResourceType, metadata: ApiObject['metadata'], rest: object): Manifest {
  return { type, object: { apiVersion: apiVersionOf(type), kind: type.kind, metadata, ...rest } };
}
