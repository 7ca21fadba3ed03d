import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { canonicalJson, Sharing } from './sharing.ts';

const pod = (labels: object, containers: readonly object[] = []) => ({ metadata: { labels }, spec: { containers } });

test('equal parts become one, whatever the order of their members', () => {
  const sharing = new Sharing(['metadata.labels', 'spec.containers']);
  const first = pod({ app: 'web', tier: 'front' }, [{ name: 'c', image: 'i' }]);
  const second = pod({ tier: 'front', app: 'web' }, [{ image: 'i', name: 'c' }]);
  sharing.share(first);
  sharing.share(second);
  assert.equal(second.metadata.labels, first.metadata.labels);
  assert.equal(second.spec.containers, first.spec.containers);
  assert.equal(sharing.size, 2);
});

test('the order of a list counts, and so does null', () => {
  const sharing = new Sharing(['spec.containers']);
  const objects = [pod({}, [{ a: 1 }, { b: 2 }]), pod({}, [{ b: 2 }, { a: 1 }]), pod({}, [{ a: 1 }, { b: null }])];
  for (const object of objects) sharing.share(object);
  assert.equal(sharing.size, 3);
});

test('an entry goes with its last user', () => {
  const sharing = new Sharing(['metadata.labels']);
  const first = pod({ app: 'web' });
  const second = pod({ app: 'web' });
  sharing.share(first);
  sharing.shareFrom(first, second);
  sharing.release(first);
  assert.equal(sharing.size, 1);
  assert.equal(sharing.keyOf(second.metadata.labels), '{"app":"web"}');
  sharing.release(second);
  assert.equal(sharing.size, 0);
  assert.equal(sharing.keyOf(second.metadata.labels), undefined);
});

test('an object without the part, or with no object there, is left alone', () => {
  const sharing = new Sharing(['metadata.labels', 'spec.nodeName', 'status.a.b']);
  const object = { metadata: {}, spec: { nodeName: 'n1' }, status: null };
  sharing.share(object);
  sharing.release(object);
  assert.deepEqual(object, { metadata: {}, spec: { nodeName: 'n1' }, status: null });
  assert.equal(sharing.size, 0);
});

test('canonical texts are equal exactly for equal values', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
      const copy: unknown = JSON.parse(JSON.stringify(a));
      assert.equal(canonicalJson(copy), canonicalJson(a));
      let same = true;
      try {
        assert.deepEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));
      } catch {
        same = false;
      }
      assert.equal(canonicalJson(a) === canonicalJson(b), same);
    }),
  );
});

test('whatever comes and goes, values survive and the table holds just what is used', () => {
  const part = fc.record(
    { a: fc.nat({ max: 2 }), b: fc.option(fc.nat({ max: 1 })) },
    { requiredKeys: ['a'], noNullPrototype: true },
  );
  const change = fc.record({ key: fc.nat({ max: 5 }), part: fc.option(part) });
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      const sharing = new Sharing(['spec.containers']);
      const held = new Map<number, { spec: { containers: object } }>();
      for (const { key, part } of changes) {
        const old = held.get(key);
        if (part === null) held.delete(key);
        else {
          const object = { spec: { containers: { ...part } } };
          if (old === undefined) sharing.share(object);
          else sharing.shareFrom(old, object);
          assert.deepEqual(object.spec.containers, part);
          held.set(key, object);
        }
        if (old !== undefined) sharing.release(old);
      }
      const distinct = new Set([...held.values()].map(({ spec }) => canonicalJson(spec.containers)));
      const identities = new Set([...held.values()].map(({ spec }) => spec.containers));
      assert.equal(sharing.size, distinct.size);
      assert.equal(identities.size, distinct.size);
    }),
  );
});
