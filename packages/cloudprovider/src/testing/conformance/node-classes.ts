import assert from 'node:assert/strict';
import { nodeClassLabel } from '@karpenter-ts/apis';
import { InsufficientCapacityError, NodeClassNotReadyError } from '../../errors.ts';
import type { Obligation } from './obligation.ts';
import { mustReject } from './conformance-context.ts';

/** The API server takes no other text as the reason of a condition (spec 03 §2.1). */
const CONDITION_REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** What the provider owes about its NodeClasses, and about instances that no longer match theirs. */
export const NODE_CLASSES: readonly Obligation[] = [
  {
    id: 'class.declared',
    level: 'must',
    text: 'The provider names the kinds of its NodeClasses, and their labels are its own to set.',
    async check(context) {
      const { nodeClasses, profile } = context.facts;
      const { group, kind } = context.subject.nodePool.spec.template.spec.nodeClassRef;
      assert.ok(
        nodeClasses.some((one) => one.group === group && one.kind === kind),
        `${group}/${kind} is not named`,
      );
      for (const type of nodeClasses)
        assert.ok(profile.nodeClassLabels.has(nodeClassLabel(type)), nodeClassLabel(type));
    },
  },
  {
    id: 'class.not-ready',
    level: 'must',
    text: 'A launch with a NodeClass that is not ready is NodeClassNotReadyError.',
    needs: ['unreadyNodeClass'],
    async check(context) {
      const claim = await context.claim();
      await context.hook('unreadyNodeClass')();
      await mustReject(context.create(claim), NodeClassNotReadyError);
    },
  },
  {
    id: 'class.missing',
    level: 'must',
    text: 'A launch with a NodeClass that does not exist is InsufficientCapacityError: the pods need another pool.',
    needs: ['removeNodeClass'],
    async check(context) {
      const claim = await context.claim();
      await context.hook('removeNodeClass')();
      await mustReject(context.create(claim), InsufficientCapacityError);
    },
  },
  {
    id: 'drift.fresh',
    level: 'must',
    text: 'An instance just launched has not drifted.',
    async check(context) {
      assert.equal(await context.findDrift((await context.launch()).launched), undefined);
    },
  },
  {
    id: 'drift.reason',
    level: 'must',
    text: 'Drift is named by a word that can be the reason of a condition.',
    needs: ['drift'],
    async check(context) {
      const { launched } = await context.launch();
      await context.hook('drift')(launched);
      assert.match((await context.findDrift(launched)) ?? '', CONDITION_REASON);
    },
  },
];
