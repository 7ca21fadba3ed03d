import { type Controller, DONE, kindSource } from '@karpenter-ts/runtime';
import { controllerOf, type Job, objectKey, type Pod } from '@karpenter-ts/kubernetes';
import type { WorkloadDeps } from '../workload-deps.ts';
import { release } from './pods.ts';
import { isTracked } from './tally.ts';
import { isFinished } from './verdict.ts';

const NONE: ReadonlySet<string> = new Set();

/** Removes the finalizer of pods whose Job is gone, or finished without them. */
export function jobOrphanController({ client, caches }: WorkloadDeps): Controller {
  const jobOf = (pod: Pod): Job | undefined => {
    const reference = controllerOf(pod.metadata);
    if (reference?.kind !== 'Job') return undefined;
    const job = caches.jobs.get(`${pod.metadata.namespace}/${reference.name}`);
    return job?.metadata.uid === reference.uid ? job : undefined;
  };
  return {
    name: 'job-orphans',
    kind: { group: '', kind: 'Pod' },
    concurrency: 5,
    sources: [
      kindSource(caches.pods, {
        when: ({ type, object }) => type !== 'deleted' && isTracked(object, NONE),
        keys: (pod) => (isTracked(pod, NONE) && jobOf(pod) === undefined ? [objectKey(pod.metadata)] : []),
      }),
      kindSource(caches.jobs, {
        when: ({ type, object }) => type === 'deleted' || isFinished(object),
        keys: ({ metadata }) =>
          caches.pods
            .byIndex('manager', metadata.uid ?? '')
            .filter((pod) => isTracked(pod, NONE))
            .map((pod) => objectKey(pod.metadata)),
      }),
    ],
    reconcile: async (key) => {
      const pod = caches.pods.get(key);
      if (pod === undefined || !isTracked(pod, NONE)) return DONE;
      const job = jobOf(pod);
      if (job === undefined || isFinished(job)) await release(client, pod);
      return DONE;
    },
  };
}
