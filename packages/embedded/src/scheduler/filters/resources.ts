import type { NodeEntry } from '../model/node-entry.ts';
import type { PodClass } from '../model/pod-class.ts';
import type { ResourceNames } from '../model/resource-names.ts';
import type { Filter, Rejection } from './filter.ts';

/** The node must have enough of every requested resource, and room for one more pod. */
export const resources: Filter = {
  name: 'NodeResourcesFit',
  scope: 'node',
  helpedBy: ['node added', 'node changed', 'pod removed'],
  prepare(pod, { names }) {
    const rejections = new Map<number, Rejection>(); // nodes that lack the same share one
    return {
      kind: 'check',
      check(node) {
        const lack = lackOf(pod, node);
        if (lack === 0) return undefined;
        const known = rejections.get(lack);
        if (known !== undefined) return known;
        const made = insufficiency(pod, node, names);
        rejections.set(lack, made);
        return made;
      },
    };
  },
};

/**
 * Which resources the node lacks, encoded as a number: 0 for none. Each resource, and the pod count, is one digit to
 * base 3: 1 means too little is free, 2 too little even on an empty node. It runs for every node and pod, so it is only
 * arithmetic.
 */
function lackOf({ requests: { ids, amounts } }: PodClass, node: NodeEntry): number {
  let lack = node.podCount >= node.maxPods ? 1 : 0;
  for (let i = 0; i < ids.length; i++) {
    const amount = amounts[i]!;
    const allocatable = node.allocatable(ids[i]!);
    lack = lack * 3 + (amount > allocatable ? 2 : amount > allocatable - node.requested(ids[i]!) ? 1 : 0);
  }
  return lack;
}

function insufficiency({ requests: { ids, amounts } }: PodClass, node: NodeEntry, names: ResourceNames): Rejection {
  const lacking = ids.filter((id, i) => amounts[i]! > node.allocatable(id) - node.requested(id));
  const reasons = lacking.map((id) => `Insufficient ${names.nameOf(id)}`);
  if (node.podCount >= node.maxPods) reasons.unshift('Too many pods');
  return { reasons, mayPodsYield: ids.every((id, i) => amounts[i]! <= node.allocatable(id)) };
}
