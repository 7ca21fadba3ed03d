import { DISRUPTED_TAINT, isSameTaint } from '@karpenter-ts/apis';
import { type Controller, DONE, kindSource, SECOND, scaleConcurrency } from '@karpenter-ts/runtime';
import type { ClusterModel } from '../state/cluster-model.ts';
import type { ControllerDeps } from '../state/controller-deps.ts';
import type { Node } from '@karpenter-ts/kubernetes';
import { isProvisionable } from '../pods/predicates.ts';

type TriggerDeps = Pick<ControllerDeps, 'caches' | 'options'>;

/** The receiver of triggers, such as a batcher. */
interface Triggered {
  trigger(uid: string): void;
}

/** Planned capacity may be taken by other pods, so a pod is checked again until it is bound. */
const LOOK_AGAIN = 10 * SECOND;

const CONCURRENCY = { min: 10, max: 1000 };

/** Triggers the provisioner for pods that kube-scheduler could not place (spec 02 §3). */
export function podTrigger(deps: TriggerDeps, provisioner: Triggered, cluster: ClusterModel): Controller {
  const { caches, options } = deps;
  return {
    name: 'provisioner.trigger.pod',
    kind: { group: '', kind: 'Pod' },
    concurrency: scaleConcurrency(options.cpuRequests / 1000, CONCURRENCY),
    sources: [kindSource(caches.pods, { when: ({ type, object }) => type !== 'deleted' && isProvisionable(object) })],
    reconcile: async (key) => {
      const pod = caches.pods.get(key);
      if (pod === undefined || !isProvisionable(pod)) return DONE;
      provisioner.trigger(pod.metadata.uid ?? key);
      cluster.decisions.see(pod);
      return { requeueAfter: LOOK_AGAIN };
    },
  };
}

/** Triggers the provisioner for Nodes tainted for disruption, because their pods need another node. */
export function nodeTrigger({ caches, options }: TriggerDeps, provisioner: Triggered): Controller {
  return {
    name: 'provisioner.trigger.node',
    kind: { group: '', kind: 'Node' },
    concurrency: scaleConcurrency(options.cpuRequests / 1000, CONCURRENCY),
    sources: [kindSource(caches.nodes, { when: ({ type, object }) => type !== 'deleted' && isDisrupted(object) })],
    reconcile: async (name) => {
      const node = caches.nodes.get(name);
      if (node === undefined || !isDisrupted(node)) return DONE;
      provisioner.trigger(node.metadata.uid ?? name);
      return { requeueAfter: LOOK_AGAIN };
    },
  };
}

function isDisrupted({ spec }: Node): boolean {
  return spec?.taints?.some((taint) => isSameTaint(taint, DISRUPTED_TAINT)) ?? false;
}
