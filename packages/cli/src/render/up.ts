import type { ClusterAccess } from '@karpenter-ts/embedded';
import { printableLine } from './printable.ts';

/** What there is to say about a cluster that has just started. */
export interface Introduction {
  readonly access: ClusterAccess;
  readonly nodes: number;
  readonly hasController: boolean;
  /** Name of the scenario that is played. */
  readonly scenario: string | undefined;
}

/** Where the cluster is, what happens there, and what to try first. */
export function renderIntroduction({ access, nodes, hasController, scenario }: Introduction): string {
  return [
    `cluster is up: ${access.server}${nodes > 0 ? `, ${nodes} simulated nodes` : ''}`,
    `${hasController ? CONTROLLER : NO_CONTROLLER}${scenario === undefined ? '' : `; scenario: ${printableLine(scenario)}`}`,
    '',
    'In another terminal:',
    `  export KUBECONFIG='${access.kubeconfigPath.replaceAll("'", "'\\''")}'`,
    ...(scenario === undefined ? TRY_EMPTY : TRY_SCENARIO).map((command) => `  ${command}`),
    '',
    'Ctrl-C stops it; nothing is kept.',
    '',
  ].join('\n');
}

const CONTROLLER = "Karpenter runs in it, with simulated instances of EC2's types and prices";
const NO_CONTROLLER = 'only the CRDs of Karpenter are installed: run karpenter controller --provider kwok against it';

const TRY_EMPTY = [
  'kubectl apply -f samples/kwok.yaml',
  'kubectl create deployment web --image=nginx --replicas=5 && kubectl get pods -o wide --watch',
];
const TRY_SCENARIO = ['kubectl get nodepools,nodeclaims,nodes', 'kubectl get pods -o wide --watch'];
