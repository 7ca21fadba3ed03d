import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RESOURCES } from '../kinds/registry.ts';
import type { Resource } from './resource.ts';
import type { Flavour } from '../kinds/restricted-labels.ts';
import { ADMISSION_CASES } from '../testing/index.ts';
import { admit } from './admission.ts';
import type { JsonObject } from '@karpenter-ts/kubernetes';

function resourceOf(object: JsonObject, flavour: Flavour): Resource {
  const found = RESOURCES[flavour].find(({ kind }) => kind === object['kind']);
  assert.ok(found);
  return found;
}

function assertAdmitted(object: JsonObject, flavour: Flavour, old?: JsonObject): void {
  const admission = admit(object, resourceOf(object, flavour), old);
  assert.equal(admission.verdict === 'refused' ? admission.message : 'admitted', 'admitted', JSON.stringify(object));
}

function assertRefused(object: JsonObject, message: string, flavour: Flavour, old?: JsonObject): void {
  const admission = admit(object, resourceOf(object, flavour), old);
  assert.equal(admission.verdict, 'refused', `admitted: ${JSON.stringify(object)}`);
  assert.ok(admission.message.includes(message), `${admission.message}\n  does not say: ${message}`);
}

for (const { id, title, flavour, accepted = [], refused = [], updates = [] } of ADMISSION_CASES) {
  test(`${id} ${title}`, () => {
    for (const object of accepted) assertAdmitted(object, flavour);
    for (const [object, message] of refused) assertRefused(object, message, flavour);
    for (const { from, to, refused: message } of updates) {
      if (message === undefined) assertAdmitted(to, flavour, from);
      else assertRefused(to, message, flavour, from);
    }
  });
}
