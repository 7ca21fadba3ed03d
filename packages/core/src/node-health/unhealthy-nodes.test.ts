import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NODEPOOL_LABEL } from '@karpenter-ts/apis';
import { type Handler, MINUTE } from '@karpenter-ts/runtime';
import fc from 'fast-check';
import type { Node } from '@karpenter-ts/kubernetes';
import { findUnhealthyCondition, UnhealthyCounts } from './unhealthy-nodes.ts';

const POLICIES = [{ conditionType: 'BadNode', conditionStatus: 'False', toleration: 30 * MINUTE }] as const;

interface Put {
  readonly name: string;
  readonly nodePool: string | undefined;
  readonly isUnhealthy: boolean;
}

function nodeOf({ name, nodePool, isUnhealthy }: Put): Node {
  const conditions = [{ type: 'BadNode', status: isUnhealthy ? 'False' : 'True' }];
  return {
    metadata: { name, labels: nodePool === undefined ? {} : { [NODEPOOL_LABEL]: nodePool } },
    status: { conditions },
  };
}

const name = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
const put = fc.record({ name, nodePool: fc.constantFrom(undefined, 'x', 'y'), isUnhealthy: fc.boolean() });
/** `seen` is false where the last state of a Node that goes is one that was never told before. */
const removal = fc.record({ gone: put, seen: fc.boolean() });

test('the counts tell what counting all Nodes would, whatever came and went', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(put, removal)), (changes) => {
      let handler!: Required<Handler<Node>>;
      const addHandler = (added: Handler<Node>) => {
        handler = added as Required<Handler<Node>>;
        return () => undefined;
      };
      const counts = new UnhealthyCounts({ addHandler }, POLICIES);
      const nodes = new Map<string, Node>();
      for (const change of changes) {
        if ('gone' in change) {
          const known = nodes.get(change.gone.name);
          if (known !== undefined) handler.onDelete(change.seen ? known : nodeOf(change.gone));
          nodes.delete(change.gone.name);
        } else {
          const [old, node] = [nodes.get(change.name), nodeOf(change)];
          if (old === undefined) handler.onAdd(node, false);
          else handler.onUpdate(old, node);
          nodes.set(change.name, node);
        }
        for (const pool of [undefined, 'x', 'y', 'none']) {
          const peers = [...nodes.values()].filter(
            ({ metadata }) => pool === undefined || metadata.labels?.[NODEPOOL_LABEL] === pool,
          );
          const unhealthy = peers.filter((node) => findUnhealthyCondition(node, POLICIES) !== undefined).length;
          assert.equal(counts.areTooMany(pool), unhealthy > Math.ceil(peers.length / 5));
        }
      }
    }),
  );
});
