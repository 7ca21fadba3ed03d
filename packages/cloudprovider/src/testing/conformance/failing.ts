import assert from 'node:assert/strict';
import { ZONE_LABEL } from '@karpenter-ts/apis';
import { errorText, findCause } from '@karpenter-ts/runtime';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from '../../errors.ts';
import type { Obligation } from './obligation.ts';
import { isOneOf, mustReject, providerIdOf, rejectionOf, withStatusOf } from './conformance-context.ts';

/** Whether an error only means "retry": it is none of the errors that delete a NodeClaim or remove its finalizer. */
function isOrdinary(error: unknown): boolean {
  return (
    error instanceof Error &&
    !findCause(error, InsufficientCapacityError) &&
    !findCause(error, NodeClassNotReadyError) &&
    !findCause(error, NodeClaimNotFoundError)
  );
}

/**
 * How a provider reports that its cloud refuses: the class of the error decides what happens to the NodeClaim (03
 * §3.1).
 */
export const FAILING: readonly Obligation[] = [
  {
    id: 'fail.unsatisfiable',
    level: 'must',
    text: 'A claim that no offering can meet is InsufficientCapacityError.',
    async check(context) {
      const claim = await context.claim({ requirements: [isOneOf(ZONE_LABEL, ['conformance-nowhere'])] });
      await mustReject(context.create(claim), InsufficientCapacityError);
    },
  },
  {
    id: 'fail.exhausted',
    level: 'must',
    text: 'A launch for which the cloud has no capacity is InsufficientCapacityError and leaves no instance.',
    needs: ['exhaust'],
    async check(context) {
      const claim = await context.claim();
      await context.hook('exhaust')();
      await mustReject(context.create(claim), InsufficientCapacityError);
      assert.deepEqual(await context.list(), []);
    },
  },
  {
    id: 'fail.throttled-launch',
    level: 'must',
    text: 'A launch the cloud throttles rejects with an error of no special class, or waits; in the end there is one instance.',
    needs: ['throttle'],
    async check(context) {
      const claim = await context.claim();
      await context.hook('throttle')('create');
      const error = await rejectionOf(context.create(claim));
      if (error !== undefined) {
        assert.ok(isOrdinary(error), `it rejected with ${errorText(error)}`);
        await context.create(claim);
      }
      assert.equal((await context.list()).length, 1);
    },
  },
  {
    id: 'fail.throttled-end',
    level: 'must',
    text: 'A deletion the cloud throttles is not taken for the end of the instance.',
    needs: ['throttle'],
    async check(context) {
      const { claim, launched } = await context.launch();
      await context.hook('throttle')('delete');
      const error = await rejectionOf(context.delete(withStatusOf(claim, launched)));
      if (!findCause(error, NodeClaimNotFoundError)) return;
      const id = providerIdOf(launched);
      const isThere = (await context.list()).some(({ status }) => status?.providerID === id);
      assert.ok(!isThere, `${id} is said to be gone and is still there`);
    },
  },
  {
    id: 'fail.throttled-list',
    level: 'must',
    text: 'A list the cloud throttles rejects or is complete: claims of instances it leaves out are deleted.',
    needs: ['throttle'],
    async check(context) {
      const id = providerIdOf((await context.launch()).launched);
      await context.hook('throttle')('list');
      const listed = await context.list().catch(() => undefined);
      assert.ok(listed === undefined || listed.some(({ status }) => status?.providerID === id), `${id} is left out`);
    },
  },
];
