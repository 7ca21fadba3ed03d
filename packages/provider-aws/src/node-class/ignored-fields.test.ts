import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { ignoredFieldsEvent, ignoredSelectorFields } from './ignored-fields.ts';

const ignoredIn = (spec: object) => ignoredSelectorFields(spec as EC2NodeClass['spec']);

test('fields beside one that decides alone are ignored, in each list by its own order', () => {
  const tags = { team: 'a' };
  assert.deepEqual(
    ignoredIn({
      subnetSelectorTerms: [{ tags }, { id: 'subnet-1', tags }],
      securityGroupSelectorTerms: [{ id: 'sg-1', name: 'web', tags }, { name: 'web', tags }, { tags }],
      capacityReservationSelectorTerms: [{ id: 'cr-1', ownerID: '111122223333' }],
      amiSelectorTerms: [
        { id: 'ami-1', ssmParameter: '/a' },
        { ssmParameter: '/a', name: 'b' },
        { name: 'b', tags },
      ],
    }),
    [
      'amiSelectorTerms[0].ssmParameter',
      'amiSelectorTerms[1].name',
      'capacityReservationSelectorTerms[0].ownerID',
      'securityGroupSelectorTerms[0].name',
      'securityGroupSelectorTerms[0].tags',
      'securityGroupSelectorTerms[1].tags',
      'subnetSelectorTerms[1].tags',
    ],
  );
});

test('terms whose fields all count are not told of', () => {
  const terms = [{ id: 'x-1' }, { tags: { team: 'a' } }];
  const spec = { subnetSelectorTerms: terms, securityGroupSelectorTerms: terms, amiSelectorTerms: terms };
  assert.deepEqual(ignoredIn(spec), []);
  assert.deepEqual(ignoredIn({}), []);
  assert.equal(ignoredFieldsEvent({ metadata: { name: 'default' }, spec } as unknown as EC2NodeClass), undefined);
});
