import { ARCH_LABEL, CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, NODEPOOL_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { isTrue, type Node, type Pod, READY } from '@karpenter-ts/kubernetes';
import type { Labels } from '@karpenter-ts/runtime';
import type { podState } from './pod-metrics.ts';

/** The labels of a pod's metrics; those of its Node are empty if it is unbound or its Node is unknown. */
export function podLabels(pod: Pod, node: Node | undefined): Labels<(typeof podState)['labelNames'][number]> {
  const { metadata, spec, status } = pod;
  const ofNode = node?.metadata.labels ?? {};
  const nodePool = ofNode[NODEPOOL_LABEL] ?? '';
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    owner: ownerLink(metadata),
    node: spec.nodeName ?? '',
    scheduled: String(Boolean(spec.nodeName)),
    nodepool: nodePool,
    zone: ofNode[ZONE_LABEL] ?? '',
    arch: ofNode[ARCH_LABEL] ?? '',
    capacity_type: ofNode[CAPACITY_TYPE_LABEL] ?? '',
    instance_type: ofNode[INSTANCE_TYPE_LABEL] ?? '',
    phase: status?.phase ?? '',
    ready: String(isTrue(pod, READY)),
    managed: String(nodePool !== ''),
  };
}

/** In upstream's spelling, which differs from the API server's: dashboards match on it. */
function ownerLink({ namespace = '', ownerReferences }: Pod['metadata']): string {
  const owner = ownerReferences?.[0];
  if (owner === undefined) return '';
  return `/apis/${owner.apiVersion}/namespaces/${namespace}/${owner.kind.toLowerCase()}s/${owner.name}`;
}
