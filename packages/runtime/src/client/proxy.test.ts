import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findProxy } from './proxy.ts';

const find = (server: string, env: NodeJS.ProcessEnv, named?: string): string | undefined =>
  findProxy(new URL(server), named, env)?.href;

test('a proxy named for the server wins over the environment', () => {
  const env = { HTTPS_PROXY: 'http://env:1', NO_PROXY: '*' };
  assert.equal(find('https://api:6443', env, 'http://named:2'), 'http://named:2/');
});

test('the environment’s proxy is used, with or without a scheme, in either case', () => {
  assert.equal(find('https://api', { HTTPS_PROXY: 'http://p:3128' }), 'http://p:3128/');
  assert.equal(find('https://api', { https_proxy: 'p:3128' }), 'http://p:3128/');
  assert.equal(find('https://api', {}), undefined);
});

test('this machine is never reached through a proxy', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    assert.equal(find(`https://${host}:6443`, { HTTPS_PROXY: 'http://p' }), undefined);
  }
});

for (const [rule, exempt, proxied] of [
  ['example.com', ['example.com', 'a.example.com'], ['notexample.com']],
  ['.example.com', ['a.example.com'], ['example.com']],
  ['*.example.com', ['a.example.com'], ['example.com']],
  ['10.0.0.0/8', ['10.1.2.3'], ['11.0.0.1', 'ten.example.com']],
  ['fd00::/16', ['[fd00::5]'], ['[fe80::5]', '10.0.0.1']],
  ['172.20.0.1', ['172.20.0.1'], ['172.20.0.2']],
  ['api:6443', ['api:6443'], ['api:443', 'api']],
  ['other, api ', ['api'], ['apis']],
  ['*', ['anything'], []],
] as const) {
  test(`NO_PROXY=${rule} exempts what Go exempts`, () => {
    const env = { HTTPS_PROXY: 'http://p', NO_PROXY: rule };
    for (const host of exempt) assert.equal(find(`https://${host}`, env), undefined, host);
    for (const host of proxied) assert.equal(find(`https://${host}`, env), 'http://p/', host);
  });
}
