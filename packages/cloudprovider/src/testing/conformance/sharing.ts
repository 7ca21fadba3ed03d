import assert from 'node:assert/strict';
import { deepFreeze } from '@karpenter-ts/kubernetes';
import type { Obligation } from './obligation.ts';
import { withStatusOf } from './conformance-context.ts';

/** Objects from caches, and instance types during planning, are shared by many readers and must not be changed. */
export const SHARING: readonly Obligation[] = [
  {
    id: 'share.claims',
    level: 'must',
    text: 'No call changes the claim it is given.',
    async check(context) {
      const claim = deepFreeze(structuredClone(await context.claim()));
      const launched = deepFreeze(structuredClone(withStatusOf(claim, await context.create(claim))));
      await context.findDrift(launched);
      await context.end({ claim, launched });
    },
  },
  {
    id: 'share.types',
    level: 'must',
    text: 'Types once handed out do not change, whatever is launched.',
    async check(context) {
      const types = await context.instanceTypes();
      const before = structuredClone(types);
      await context.end(await context.launch());
      assert.deepEqual(types, before);
    },
  },
];
