import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import { CPU, MEMORY } from '../model/resource-names.ts';
import { BEST, type Score } from './score.ts';

/** NodeResourcesFit (LeastAllocated): prefers nodes with a larger free share. */
export const leastAllocated: Score = {
  weight: 1,
  rate: (pod, nodes) => nodes.map((node) => freeShare(pod, node)),
};

/** NodeResourcesBalancedAllocation: prefers nodes whose used shares of CPU and memory are close to each other. */
export const balancedAllocation: Score = {
  weight: 1,
  rate(pod, nodes) {
    const { ids } = pod.requests;
    return ids.includes(CPU) || ids.includes(MEMORY) ? nodes.map((node) => balance(pod, node)) : undefined;
  },
};

function freeShare({ requests }: PodClass, node: NodeEntry): number {
  const cpu = freePart(node.scoredCpu + requests.scoredCpu, node.allocatableCpu);
  const memory = freePart(node.scoredMemory + requests.scoredMemory, node.allocatableMemory);
  const known = (node.allocatableCpu > 0 ? 1 : 0) + (node.allocatableMemory > 0 ? 1 : 0);
  return known === 0 ? 0 : Math.floor((cpu + memory) / known);
}

function freePart(used: number, capacity: number): number {
  return used > capacity || capacity === 0 ? 0 : Math.floor(((capacity - used) * BEST) / capacity);
}

function balance({ requests }: PodClass, node: NodeEntry): number {
  const cpu = usedPart(requestOf(requests, CPU) + node.requested(CPU), node.allocatableCpu);
  const memory = usedPart(requestOf(requests, MEMORY) + node.requested(MEMORY), node.allocatableMemory);
  if (cpu === undefined || memory === undefined) return BEST;
  return Math.floor((1 - Math.abs(cpu - memory) / 2) * BEST);
}

function requestOf({ ids, amounts }: PodClass['requests'], resource: number): number {
  return amounts[ids.indexOf(resource)] ?? 0;
}

function usedPart(used: number, capacity: number): number | undefined {
  return capacity === 0 ? undefined : Math.min(1, used / capacity);
}
