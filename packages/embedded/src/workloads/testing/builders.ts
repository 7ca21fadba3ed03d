import {
  type Deployment,
  type Node,
  type ObjectMeta,
  type Pod,
  type PodSpec,
  type PodTemplate,
  type ReplicaSet,
  timestamp,
} from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';

/** A moment for tests: nothing depends on which. */
export const NOON: Instant = Date.UTC(2026, 0, 1, 12);

export interface PodOptions {
  readonly phase?: string;
  /** Since when it has been ready; not at all unless given. */
  readonly readySince?: Instant;
  readonly isTerminating?: boolean;
  readonly metadata?: Partial<ObjectMeta>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: object;
}

export function buildPod(name: string, options: PodOptions = {}): Pod {
  const { phase = 'Running', readySince, isTerminating = false, metadata, spec, status } = options;
  const conditions =
    readySince === undefined ? [] : [{ type: 'Ready', status: 'True', lastTransitionTime: timestamp(readySince) }];
  return {
    metadata: {
      name,
      namespace: 'default',
      uid: name,
      creationTimestamp: timestamp(NOON),
      ...(isTerminating && { deletionTimestamp: timestamp(NOON) }),
      ...metadata,
    },
    spec: { containers: [{ name: 'main' }], nodeName: 'node', ...spec },
    status: { phase, conditions, ...status },
  };
}

/** Running, and ready for an hour. */
export function readyPod(name: string, options: PodOptions = {}): Pod {
  return buildPod(name, { readySince: NOON - 3_600_000, ...options });
}

export function buildNode(name: string, spec: Node['spec'] = {}, labels: Readonly<Record<string, string>> = {}): Node {
  return { metadata: { name, uid: name, labels }, spec };
}

export function buildTemplate(image: string): PodTemplate {
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'main', image }] } };
}

export function buildDeployment(
  replicas: number,
  limits: { readonly maxSurge: number | string; readonly maxUnavailable: number | string },
  rest: Partial<Deployment> = {},
): Deployment {
  return {
    metadata: { name: 'web', namespace: 'default', uid: 'deployment', generation: 1 },
    spec: {
      replicas,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: limits },
      template: buildTemplate('new'),
    },
    ...rest,
  };
}

export function buildSet(
  name: string,
  replicas: number,
  { available = replicas, annotations = {}, image = name }: SetOptions = {},
): ReplicaSet {
  return {
    metadata: { name, namespace: 'default', uid: name, creationTimestamp: timestamp(NOON), annotations, generation: 1 },
    spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: buildTemplate(image) },
    status: {
      replicas,
      readyReplicas: available,
      availableReplicas: available,
      terminatingReplicas: 0,
      observedGeneration: 1,
    },
  };
}

interface SetOptions {
  readonly available?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly image?: string;
}
