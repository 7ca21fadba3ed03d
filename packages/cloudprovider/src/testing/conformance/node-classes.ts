import assert from 'node:assert/strict';
import { nodeClassLabel } from '@karpenter-ts/apis';
import { InsufficientCapacityError, NodeClassNotReadyError } from '../../errors.ts';
import type { Obligation } from './obligation.ts';
import { mustReject } from './trial.ts';

/** The API server takes no other text as the reason of a condition (spec 03 §2.1). */
const CONDITION_REASON = /^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/;

/** What the provider owes about its NodeClasses, and about instances that no longer match theirs. */
export const NODE_CLASSES: readonly Obligation[] = [
  {
    id: 'class.declared',
    level: 'must',
    text: 'The provider names the kinds of its NodeClasses, and their labels are its own to set.',
    async check(trial) {
      const { nodeClasses, profile } = trial.facts;
      const { group, kind } = trial.subject.nodePool.spec.template.spec.nodeClassRef;
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
    async check(trial) {
      const claim = await trial.claim();
      await trial.lever('unreadyNodeClass')();
      await mustReject(trial.create(claim), NodeClassNotReadyError);
    },
  },
  {
    id: 'class.missing',
    level: 'must',
    text: 'A launch with a NodeClass that does not exist is InsufficientCapacityError: the pods need another pool.',
    needs: ['removeNodeClass'],
    async check(trial) {
      const claim = await trial.claim();
      await trial.lever('removeNodeClass')();
      await mustReject(trial.create(claim), InsufficientCapacityError);
    },
  },
  {
    id: 'drift.fresh',
    level: 'must',
    text: 'An instance just launched has not drifted.',
    async check(trial) {
      assert.equal(await trial.findDrift((await trial.launch()).launched), undefined);
    },
  },
  {
    id: 'drift.reason',
    level: 'must',
    text: 'Drift is named by a word that can be the reason of a condition.',
    needs: ['drift'],
    async check(trial) {
      const { launched } = await trial.launch();
      await trial.lever('drift')(launched);
      assert.match((await trial.findDrift(launched)) ?? '', CONDITION_REASON);
    },
  },
];
