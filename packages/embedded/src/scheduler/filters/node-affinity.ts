import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const NO_MATCH = rejection("node(s) didn't match Pod's node affinity/selector", false);
const CONFLICT = 'pod affinity terms conflict';

/** Pods go only to nodes their selector and required affinity allow. */
export const nodeAffinity: Filter = {
  name: 'NodeAffinity',
  scope: 'node',
  helpedBy: ['node added', 'node changed'],
  prepare({ requiredNodes, namedNodes }) {
    if (requiredNodes === undefined) return NOTHING_TO_CHECK;
    if (namedNodes?.size === 0) return { kind: 'rejected', reason: CONFLICT };
    const check = (node: Parameters<typeof requiredNodes>[0]) => (requiredNodes(node) ? undefined : NO_MATCH);
    return { kind: 'check', check, ...(namedNodes && { onlyNodes: namedNodes }) };
  },
};
