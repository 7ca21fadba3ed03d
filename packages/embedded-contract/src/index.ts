// The guarantees that the embedded cluster shares with a real one. They run here in virtual time, and in e2e/ against a
// real control plane.
import { apiCases } from './api/index.ts';
import type { ContractCase } from './contract-case.ts';
import { schedulerCases } from './scheduler/index.ts';
import { workloadCases } from './workloads/index.ts';

export type { ContractCase, ContractContext } from './contract-case.ts';
export { type ContractTarget, namespaceOf, runCase, runContract } from './contract-run.ts';
export { type FuzzOutcome, fuzz, isSameCode, titleOf } from './fuzz/fuzz-run.ts';
export { digestOf, runScript } from './differential/comparison.ts';
export { DIFFERENTIAL_SCRIPTS } from './differential/index.ts';
export { RECORDED_FUZZ, RECORDED_SCRIPTS } from './recorded/recorded-answers.ts';
export { untilSchedulerFinds } from './scheduler/scheduler-messages.ts';

/** All cases. They share a control plane but no objects, and may run in any order and at the same time. */
export const CONTRACT: readonly ContractCase[] = [...apiCases, ...schedulerCases, ...workloadCases];
