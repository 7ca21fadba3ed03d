import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { decodeToken, encodeToken } from './continue-token.ts';

const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/);

test('a token leads back to where the list stopped', () => {
  fc.assert(
    fc.property(name, name, fc.integer({ min: 1 }), (namespace, last, revision) => {
      const prefix = `${namespace}/`;
      const position = { revision, from: `${prefix}${last}\0` };
      assert.deepEqual(decodeToken(encodeToken(position, prefix), prefix), position);
    }),
  );
});

test('a token of one namespace is a place in another, never outside of it', () => {
  const token = encodeToken({ revision: 1, from: 'a/x\0' }, 'a/');
  assert.equal(decodeToken(token, 'b/').from, 'b/x\0');
  const forged = Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"/../a/x"}').toString('base64url');
  assert.throws(() => decodeToken(forged, 'b/'), { code: 400 });
});

test('what is no token is refused with the reason', () => {
  const refused = (text: string, message: RegExp) => assert.throws(() => decodeToken(text, ''), { code: 400, message });
  refused('!', /illegal base64 data at input byte 0$/);
  refused('abc', /invalid character 'i' looking for beginning of value$/);
  refused(Buffer.from('{"v":"v9"}').toString('base64url'), /server does not recognize this encoded version v9$/);
});
