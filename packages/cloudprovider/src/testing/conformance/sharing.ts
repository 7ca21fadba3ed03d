import assert from 'node:assert/strict';
import { deepFreeze } from '@karpenter-ts/kubernetes';
import type { Obligation } from './obligation.ts';
import { withStatusOf } from './trial.ts';

/** Objects from caches, and types under planning, are in many hands at once. */
export const SHARING: readonly Obligation[] = [
  {
    id: 'share.claims',
    level: 'must',
    text: 'No call changes the claim it is given.',
    async check(trial) {
      const claim = deepFreeze(structuredClone(await trial.claim()));
      const launched = deepFreeze(structuredClone(withStatusOf(claim, await trial.create(claim))));
      await trial.findDrift(launched);
      await trial.end({ claim, launched });
    },
  },
  {
    id: 'share.types',
    level: 'must',
    text: 'Types once handed out do not change, whatever is launched.',
    async check(trial) {
      const types = await trial.instanceTypes();
      const before = structuredClone(types);
      await trial.end(await trial.launch());
      assert.deepEqual(types, before);
    },
  },
];
