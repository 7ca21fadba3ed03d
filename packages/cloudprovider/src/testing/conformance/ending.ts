import assert from 'node:assert/strict';
import { NodeClaimNotFoundError } from '../../errors.ts';
import { Inconclusive, type Obligation } from './obligation.ts';
import { mustReject, providerIdOf, withStatusOf } from './conformance-context.ts';

/** What `delete` owes: finalizers stay until it says that the instance is gone (spec 03 §7.2, §7.6). */
export const ENDING: readonly Obligation[] = [
  {
    id: 'end.not-found',
    level: 'must',
    text: 'Delete, called again and again, ends in NodeClaimNotFoundError within ten minutes.',
    async check(context) {
      assert.ok(await context.end(await context.launch()), 'it never did');
    },
  },
  {
    id: 'end.repeatable',
    level: 'must',
    text: 'Deleting once more what is gone is NodeClaimNotFoundError again.',
    async check(context) {
      const instance = await context.launch();
      await context.mustEnd(instance);
      await mustReject(context.delete(withStatusOf(instance.claim, instance.launched)), NodeClaimNotFoundError);
    },
  },
  {
    id: 'end.get',
    level: 'must',
    text: 'Asking for an instance that delete says is gone is NodeClaimNotFoundError.',
    async check(context) {
      const instance = await context.launch();
      await context.mustEnd(instance);
      await mustReject(context.get(providerIdOf(instance.launched)), NodeClaimNotFoundError);
    },
  },
  {
    id: 'end.list',
    level: 'must',
    text: 'The list leaves out an instance that delete says is gone, or gives it a deletion timestamp.',
    async check(context) {
      const instance = await context.launch();
      await context.mustEnd(instance);
      const id = providerIdOf(instance.launched);
      const listed = (await context.list()).find(({ status }) => status?.providerID === id);
      assert.ok(listed === undefined || listed.metadata.deletionTimestamp, `${id} is still listed`);
    },
  },
  {
    id: 'end.others',
    level: 'must',
    text: 'Deleting one instance leaves the others alone.',
    async check(context) {
      const instance = await context.launch();
      const other = providerIdOf((await context.launch()).launched);
      if (other === providerIdOf(instance.launched)) throw new Inconclusive('both claims got the same instance');
      await context.end(instance);
      const listed = await context.list();
      assert.ok(
        listed.some(({ status, metadata }) => status?.providerID === other && !metadata.deletionTimestamp),
        `${other} is gone too`,
      );
    },
  },
  {
    id: 'end.unknown',
    level: 'must',
    text: 'Deleting an instance that never was is NodeClaimNotFoundError.',
    async check(context) {
      const { claim, launched } = await context.launch();
      const unknown = { ...launched, status: { ...launched.status, providerID: `${providerIdOf(launched)}0` } };
      await mustReject(context.delete(withStatusOf(claim, unknown)), NodeClaimNotFoundError);
    },
  },
];
