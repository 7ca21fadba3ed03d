import assert from 'node:assert/strict';
import { isSameTaint, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import { MINUTE, SECOND } from '@karpenter-ts/runtime';
import { Inconclusive, type Obligation } from './obligation.ts';
import type { JoinedNode } from './subject.ts';
import { providerIdOf, type ConformanceContext } from './conformance-context.ts';

/** A claim whose Node has not come by then is deleted (spec 03 §3.4). */
const REGISTRATION_TIMEOUT = 15 * MINUTE;
const POLL = 15 * SECOND;

/** How instances join the cluster. */
export const REGISTERING: readonly Obligation[] = [
  {
    id: 'register.in-time',
    level: 'must',
    text: 'The Node of a launched instance appears within 15 minutes, with the provider id of the launch.',
    needs: ['findNode'],
    async check(context) {
      const id = providerIdOf((await context.launch()).launched);
      assert.ok(await awaitNode(context, id), `no Node with provider id ${id}`);
    },
  },
  {
    id: 'register.taint',
    level: 'must',
    text: 'A Node appears with the taint karpenter.sh/unregistered, so that no pod gets there before its labels and taints.',
    needs: ['findNode'],
    async check(context) {
      const node = await awaitNode(context, providerIdOf((await context.launch()).launched));
      if (node === undefined) throw new Inconclusive('no Node appears');
      assert.ok(
        node.spec?.taints?.some((taint) => isSameTaint(taint, UNREGISTERED_TAINT)),
        'the taint is missing',
      );
    },
  },
  {
    id: 'register.cancelled',
    level: 'should',
    text: 'An instance that is deleted before its Node appears leaves none.',
    needs: ['findNode'],
    async check(context) {
      const instance = await context.launch();
      await context.mustEnd(instance);
      assert.equal(await awaitNode(context, providerIdOf(instance.launched)), undefined);
    },
  },
];

async function awaitNode(context: ConformanceContext, providerId: string): Promise<JoinedNode | undefined> {
  const find = context.hook('findNode');
  for (let waited = 0; waited <= REGISTRATION_TIMEOUT; waited += POLL) {
    const node = await find(providerId);
    if (node !== undefined) return node;
    await context.subject.advance(POLL);
  }
  return undefined;
}
