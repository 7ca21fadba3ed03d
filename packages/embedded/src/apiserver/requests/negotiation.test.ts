import assert from 'node:assert/strict';
import { test } from 'node:test';
import { acceptedForm } from './negotiation.ts';

test('the first form that we have is given', () => {
  assert.equal(acceptedForm(undefined), 'object');
  assert.equal(acceptedForm('*/*'), 'object');
  assert.equal(acceptedForm('application/vnd.kubernetes.protobuf, application/json'), 'object');
  assert.equal(acceptedForm('application/json;as=Table;v=v1;g=meta.k8s.io,application/json'), 'table');
  assert.equal(acceptedForm('application/json;as=Table;v=v1beta1;g=meta.k8s.io, application/json'), 'object');
  assert.equal(acceptedForm('application/json; as=PartialObjectMetadata; g=meta.k8s.io; v=v1'), 'metadata');
});

test('where we have none of them, that is said', () => {
  assert.throws(() => acceptedForm('text/csv'), { code: 406, reason: 'NotAcceptable' });
  assert.throws(() => acceptedForm('application/json;as=constructor;v=v1;g=meta.k8s.io'), { code: 406 });
});
