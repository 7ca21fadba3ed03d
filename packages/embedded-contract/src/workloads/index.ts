import type { ContractCase } from '../contract-case.ts';
import { daemonSetCases } from './daemon-set.ts';
import { deploymentCases } from './deployment.ts';
import { disruptionBudgetCases } from './disruption-budget.ts';
import { jobCases } from './job.ts';
import { kubeletCases } from './kubelet.ts';
import { namespaceCases } from './namespaces.ts';
import { nodeLifecycleCases } from './node-lifecycle.ts';
import { ownerGcCases } from './owner-gc.ts';
import { replicaSetCases } from './replica-set.ts';
import { statefulSetCases } from './stateful-set.ts';
import { volumeCases } from './volumes.ts';

/** What the controllers and kubelets of a cluster do, as users see it. */
export const workloadCases: readonly ContractCase[] = [
  ...deploymentCases,
  ...replicaSetCases,
  ...statefulSetCases,
  ...daemonSetCases,
  ...jobCases,
  ...disruptionBudgetCases,
  ...ownerGcCases,
  ...namespaceCases,
  ...nodeLifecycleCases,
  ...volumeCases,
  ...kubeletCases,
];
