import type { ContractCase } from '../contract-case.ts';
import { hostPortCases } from './host-ports.ts';
import { nodeChoiceCases } from './node-choice.ts';
import { podAffinityCases } from './pod-affinity.ts';
import { queueCases } from './queue.ts';
import { resourceCases } from './resources.ts';
import { topologySpreadCases } from './topology-spread.ts';
import { volumeCases } from './volumes.ts';

/** What a scheduler does, as pods and their owners see it. */
export const schedulerCases: readonly ContractCase[] = [
  ...resourceCases,
  ...nodeChoiceCases,
  ...podAffinityCases,
  ...topologySpreadCases,
  ...hostPortCases,
  ...volumeCases,
  ...queueCases,
];
