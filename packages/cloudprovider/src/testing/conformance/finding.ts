import assert from 'node:assert/strict';
import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL, ZONE_LABEL } from '@karpenter-ts/apis';
import { NodeClaimNotFoundError } from '../../errors.ts';
import { Inconclusive, type Obligation } from './obligation.ts';
import { mustReject, providerIdOf } from './conformance-context.ts';

/** What `get` and `list` owe: garbage collection and termination act on their word (spec 03 §7.3, §10). */
export const FINDING: readonly Obligation[] = [
  {
    id: 'find.get',
    level: 'must',
    text: 'A launched instance is found by its provider id.',
    async check(context) {
      const id = providerIdOf((await context.launch()).launched);
      assert.equal((await context.get(id)).status?.providerID, id);
    },
  },
  {
    id: 'find.list',
    level: 'must',
    text: 'The list has every launched instance, once.',
    async check(context) {
      const launched = [await context.launch(), await context.launch(), await context.launch()];
      const listed = (await context.list()).map(({ status }) => status?.providerID);
      for (const id of launched.map((one) => providerIdOf(one.launched))) {
        const times = listed.filter((one) => one === id).length;
        assert.equal(times, 1, `${id} is listed ${times} times`);
      }
    },
  },
  {
    id: 'find.labels',
    level: 'should',
    text: 'A listed instance carries the instance type, zone and capacity type it was launched with.',
    async check(context) {
      const { launched } = await context.launch();
      const id = providerIdOf(launched);
      const found = (await context.list()).find(({ status }) => status?.providerID === id);
      if (found === undefined) throw new Inconclusive('the instance is not listed');
      for (const key of [INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL]) {
        assert.equal(found.metadata.labels?.[key], launched.metadata.labels?.[key], key);
      }
    },
  },
  {
    id: 'find.unknown',
    level: 'must',
    text: 'Asking for an instance that never was is NodeClaimNotFoundError.',
    async check(context) {
      const id = `${providerIdOf((await context.launch()).launched)}0`;
      await mustReject(context.get(id), NodeClaimNotFoundError);
    },
  },
];
