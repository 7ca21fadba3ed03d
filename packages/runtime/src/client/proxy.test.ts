import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findEnvironmentProxy, findProxy } from './proxy.ts';

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

test('this host is never reached through a proxy', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]']) {
    assert.equal(find(`https://${host}:6443`, { HTTPS_PROXY: 'http://p' }), undefined);
  }
});

for (const [address, problem] of [
  ['http://', 'could not parse: http://'],
  ['http://p:port', 'could not parse: http://p:port'],
  ['http://jane:s3cret@p:port', 'could not parse: http://***@p:port'],
  ['jane:s3cret@p:port', 'could not parse: http://***@p:port'],
  ['http://jane:s3c/ret@p', 'could not parse: http://***@p'],
  ['socks5://p:1080', 'unsupported scheme "socks5", must be http or https'],
  ['http://jane:%zz@p', 'user or password is not percent-encoded'],
] as const) {
  test(`HTTPS_PROXY=${address} is refused in words that show no password`, () => {
    assert.throws(() => find('https://api', { HTTPS_PROXY: address }), {
      name: 'ConnectionConfigError',
      message: `invalid proxy address in HTTPS_PROXY: ${problem}`,
    });
    assert.equal(find('http://api', { HTTPS_PROXY: address }), undefined, 'it is not for plain servers');
  });
}

for (const [rule, exempt, proxied] of [
  ['example.com', ['example.com', 'a.example.com'], ['notexample.com']],
  ['.example.com', ['a.example.com'], ['example.com']],
  ['*.example.com', ['a.example.com'], ['example.com']],
  ['10.0.0.0/8', ['10.1.2.3'], ['11.0.0.1', 'ten.example.com']],
  ['fd00::/16', ['[fd00::5]'], ['[fe80::5]', '10.0.0.1']],
  ['10.0.0.0/99', [], ['10.0.0.1', '[fd00::5]']],
  ['10.0.0.0/', [], ['10.0.0.1', '192.0.2.1']],
  ['10.0.0.0/1e1', [], ['10.0.0.1']],
  ['10.0.0.0/8/8', [], ['10.0.0.1']],
  ['/8', [], ['10.0.0.1']],
  ['fd00::/129', [], ['[fd00::5]']],
  ['::/0', ['[fd00::5]'], ['10.0.0.1']],
  ['10.0.0.1', ['10.0.0.1', '[::ffff:10.0.0.1]'], ['10.0.0.2']],
  ['fd00:0:0::5', ['[fd00::5]'], ['[fd00::6]']],
  ['[fd00::5]:6443', ['[fd00::5]:6443'], ['[fd00::5]']],
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

test('plain HTTP has a proxy of its own, under the same rules', () => {
  const env = { HTTP_PROXY: 'plain:1', HTTPS_PROXY: 'secure:2', NO_PROXY: 'near:80' };
  const href = (server: string): string | undefined => findEnvironmentProxy(new URL(server), env)?.href;
  assert.equal(href('http://far'), 'http://plain:1/');
  assert.equal(href('https://far'), 'http://secure:2/');
  assert.equal(href('http://near'), undefined);
  assert.equal(href('http://localhost'), undefined);
  assert.throws(() => findEnvironmentProxy(new URL('http://far'), { http_proxy: 'ftp://p' }), {
    message: 'invalid proxy address in HTTP_PROXY: unsupported scheme "ftp", must be http or https',
  });
});
