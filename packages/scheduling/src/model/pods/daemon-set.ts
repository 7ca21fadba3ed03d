import type { Container, DaemonSet, Pod, PodSpec } from '@karpenter-ts/kubernetes';

/** What a DaemonSet's pod is made from. */
type DaemonSource = Pick<DaemonSet, 'metadata'> & { readonly spec: Pick<DaemonSet['spec'], 'template'> };

/**
 * The pod a DaemonSet runs on each node (spec 02 §12.1): its newest one if there is any, because admission may have
 * changed it, else one made from the template. Which nodes it may run on is what the template says: the controller pins
 * each real pod to the node it is for.
 */
export function daemonPodOf({ metadata, spec: { template } }: DaemonSource, newest: Pod | undefined): Pod {
  const { name, namespace } = metadata;
  const pod: Pod = newest ?? {
    metadata: { ...template.metadata, name, namespace },
    spec: withDefaultRequests(template.spec),
  };
  const required = template.spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (required === undefined) return pod;
  const nodeAffinity = {
    ...pod.spec.affinity?.nodeAffinity,
    requiredDuringSchedulingIgnoredDuringExecution: required,
  };
  return { ...pod, spec: { ...pod.spec, affinity: { ...pod.spec.affinity, nodeAffinity } } };
}

/** As the API server does when the pod is created: what is limited and not asked for is asked for. */
function withDefaultRequests(spec: PodSpec): PodSpec {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    ...(containers && { containers: containers.map(withRequests) }),
    ...(initContainers && { initContainers: initContainers.map(withRequests) }),
  };
}

function withRequests(container: Container): Container {
  const { resources } = container;
  return { ...container, resources: { ...resources, requests: { ...resources?.limits, ...resources?.requests } } };
}
