import type { Instant } from '@karpenter-ts/runtime';
import { type Container, type Pod, timestamp } from '@karpenter-ts/kubernetes';

/** The status of a pod whose containers have all started; its init containers have ended, its readiness gates are open. */
export function runningStatus(
  { spec }: Pod,
  { now, hostIP, podIP }: { readonly now: Instant; readonly hostIP: string; readonly podIP: string },
): object {
  const at = timestamp(now);
  const gates = (spec.readinessGates ?? []).map(({ conditionType }) => conditionType);
  const ip = spec.hostNetwork ? hostIP : podIP;
  return {
    phase: 'Running',
    startTime: at,
    conditions: ['Initialized', 'ContainersReady', 'Ready', ...gates].map((type) => ({
      type,
      status: 'True',
      lastTransitionTime: at,
    })),
    ...(spec.initContainers && { initContainerStatuses: spec.initContainers.map((each) => initStatus(each, at)) }),
    containerStatuses: (spec.containers ?? []).map((container) => running(container, at)),
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP: ip,
    podIPs: [{ ip }],
  };
}

/** The status of a pod whose containers have all ended well. */
export function succeededStatus({ spec, status }: Pod, now: Instant): object {
  const at = timestamp(now);
  const conditions = ['ContainersReady', 'Ready'].map((type) => ({
    type,
    status: 'False',
    reason: 'PodCompleted',
    lastTransitionTime: at,
  }));
  const started = status?.startTime ?? at;
  return {
    phase: 'Succeeded',
    conditions,
    containerStatuses: (spec.containers ?? []).map((container) => ended(container, started, at)),
  };
}

/** Sidecars go on; other init containers are done before the rest begins. */
function initStatus(container: Container, at: string): object {
  if (container.restartPolicy === 'Always') return running(container, at);
  return { ...ended(container, at, at), ready: true };
}

function running({ name, image = '' }: Container, at: string): object {
  return {
    name,
    image,
    imageID: '',
    ready: true,
    started: true,
    restartCount: 0,
    state: { running: { startedAt: at } },
  };
}

function ended({ name, image = '' }: Container, startedAt: string, finishedAt: string): object {
  const terminated = { exitCode: 0, reason: 'Completed', startedAt, finishedAt };
  return { name, image, imageID: '', ready: false, started: false, restartCount: 0, state: { terminated } };
}
