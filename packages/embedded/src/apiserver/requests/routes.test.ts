import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseRoute } from './routes.ts';

const target = (path: string): string => {
  const route = parseRoute(path);
  if (route.to === 'document') return route.path;
  const { group, version, plural, namespace, name, subresource } = route.target;
  return [group, version, namespace, plural, name, subresource].map((part) => part ?? '-').join(' ');
};

test('a path leads to a resource, an object or a part of one', () => {
  assert.equal(target('/api/v1/pods?watch=true'), ' v1 - pods - -');
  assert.equal(target('/api/v1/namespaces/a/pods/'), ' v1 a pods - -');
  assert.equal(target('/apis/apps/v1/namespaces/a/deployments/b/scale'), 'apps v1 a deployments b scale');
  assert.equal(target('/api/v1/nodes/n%20x'), ' v1 - nodes n x -');
  assert.equal(target('/api/v1/nodes/n%2Fstatus'), ' v1 - nodes n status');
});

test('namespaces are a resource, too, with parts of their own', () => {
  assert.equal(target('/api/v1/namespaces'), ' v1 - namespaces - -');
  assert.equal(target('/api/v1/namespaces/a'), ' v1 - namespaces a -');
  assert.equal(target('/api/v1/namespaces/a/finalize'), ' v1 - namespaces a finalize');
  assert.equal(target('/apis/example.com/v1/namespaces/a/status'), 'example.com v1 a status - -');
});

test('what is not about a resource is a document', () => {
  for (const path of ['/version', '/api', '/api/v1', '/apis/apps', '/apis/apps/v1', '/openapi/v3/apis/apps/v1']) {
    assert.equal(target(path), path);
  }
});

test('a path that leads nowhere is refused', () => {
  assert.throws(() => parseRoute('/api/v1/namespaces/a/pods/b/c/d'), { code: 404 });
  assert.throws(() => parseRoute('/api/v1/namespaces//pods'), { code: 404 });
  assert.throws(() => parseRoute('/api/v1/pods/%zz'), { code: 400 });
});

test('the query is read', () => {
  assert.equal(parseRoute('/api/v1/pods?labelSelector=a%3Db').query.get('labelSelector'), 'a=b');
});
