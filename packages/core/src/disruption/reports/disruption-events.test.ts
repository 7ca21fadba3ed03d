import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeNode, makeNodeClaim } from '../../testing/objects.ts';
import { consolidationCandidate, consolidationRejected } from './disruption-events.ts';

test('savings in events are rounded as Go rounds them, halves to even', () => {
  const pair = { node: makeNode('n'), nodeClaim: makeNodeClaim('c') };
  const messages = (savings: number): readonly string[] => {
    const part = { text: 'delete: [n]', savings };
    const events = [...consolidationCandidate(pair, part), ...consolidationRejected(pair, part, 'churn')];
    return [...new Set(events.map(({ message }) => message))];
  };
  assert.deepEqual(messages(0.125), [
    'Consolidation candidate: delete: [n] (savings: $0.12)',
    'Consolidation rejected: delete: [n], reason: churn (savings: $0.12)',
  ]);
});
