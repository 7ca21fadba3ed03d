import type { Resource } from '@karpenter-ts/apis';
import type { Cluster } from '@karpenter-ts/embedded';

/** Where the cluster is and what to try first. */
export function renderCluster(
  { access }: Pick<Cluster, 'access'>,
  nodes: number,
  resources: readonly Resource[],
): string {
  const { server = '', kubeconfigPath = '' } = access ?? {};
  const kinds = resources.map(({ kind }) => kind).join(', ');
  return [
    `cluster is up: ${server}, ${nodes} simulated nodes`,
    `CRDs of the KWOK provider are installed: ${kinds}`,
    '',
    'In another terminal:',
    `  export KUBECONFIG='${kubeconfigPath.replaceAll("'", "'\\''")}'`,
    '  kubectl get nodes',
    '  kubectl create deployment web --image=nginx --replicas=5 && kubectl get pods -o wide --watch',
    '',
    'Ctrl-C stops it; nothing is kept.',
    '',
  ].join('\n');
}
