import assert from 'node:assert/strict';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { errorText, findCause } from '@karpenter-ts/runtime';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from '../../errors.ts';
import type { Obligation } from './obligation.ts';
import { isOneOf, mustReject, providerIdOf, rejectionOf, withStatusOf } from './trial.ts';

/** Whether an error means "try again": none of those that end a claim or its finalizer. */
function isOrdinary(error: unknown): boolean {
  return (
    error instanceof Error &&
    !findCause(error, InsufficientCapacityError) &&
    !findCause(error, NodeClassNotReadyError) &&
    !findCause(error, NodeClaimNotFoundError)
  );
}

/** How a cloud that cannot, or not now, is reported: the class of the error decides what becomes of a claim (03 §3.1). */
export const FAILING: readonly Obligation[] = [
  {
    id: 'fail.unsatisfiable',
    level: 'must',
    text: 'A claim that no offering can meet is InsufficientCapacityError.',
    async check(trial) {
      const claim = await trial.claim({ requirements: [isOneOf(ZONE_LABEL, ['conformance-nowhere'])] });
      await mustReject(trial.create(claim), InsufficientCapacityError);
    },
  },
  {
    id: 'fail.exhausted',
    level: 'must',
    text: 'A launch for which the cloud has no capacity is InsufficientCapacityError and leaves no instance.',
    needs: ['exhaust'],
    async check(trial) {
      const claim = await trial.claim();
      await trial.lever('exhaust')();
      await mustReject(trial.create(claim), InsufficientCapacityError);
      assert.deepEqual(await trial.list(), []);
    },
  },
  {
    id: 'fail.throttled-launch',
    level: 'must',
    text: 'A launch the cloud throttles rejects with an error of no special class, or waits; in the end there is one instance.',
    needs: ['throttle'],
    async check(trial) {
      const claim = await trial.claim();
      await trial.lever('throttle')('create');
      const error = await rejectionOf(trial.create(claim));
      if (error !== undefined) {
        assert.ok(isOrdinary(error), `it rejected with ${errorText(error)}`);
        await trial.create(claim);
      }
      assert.equal((await trial.list()).length, 1);
    },
  },
  {
    id: 'fail.throttled-end',
    level: 'must',
    text: 'A deletion the cloud throttles is not taken for the end of the instance.',
    needs: ['throttle'],
    async check(trial) {
      const { claim, launched } = await trial.launch();
      await trial.lever('throttle')('delete');
      const error = await rejectionOf(trial.delete(withStatusOf(claim, launched)));
      if (!findCause(error, NodeClaimNotFoundError)) return;
      const id = providerIdOf(launched);
      const isThere = (await trial.list()).some(({ status }) => status?.providerID === id);
      assert.ok(!isThere, `${id} is said to be gone and is still there`);
    },
  },
  {
    id: 'fail.throttled-list',
    level: 'must',
    text: 'A list the cloud throttles rejects or is complete: claims of instances it leaves out are deleted.',
    needs: ['throttle'],
    async check(trial) {
      const id = providerIdOf((await trial.launch()).launched);
      await trial.lever('throttle')('list');
      const listed = await trial.list().catch(() => undefined);
      assert.ok(listed === undefined || listed.some(({ status }) => status?.providerID === id), `${id} is left out`);
    },
  },
];
