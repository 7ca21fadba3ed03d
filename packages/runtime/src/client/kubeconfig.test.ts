import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { inspect } from 'node:util';
import type { Connection } from './connection.ts';
import { connectionOf } from './kubeconfig.ts';
import { loadKubeconfig } from './kubeconfig-file.ts';

async function folderOf(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** A kubeconfig of one context, with these lines under its cluster and its user. */
const kubeconfig = (cluster: string, user = 'token: secret'): string => `
apiVersion: v1
kind: Config
current-context: main
contexts:
- name: main
  context: { cluster: c, user: u, namespace: shop }
clusters:
- name: c
  cluster:
    ${cluster.replaceAll('\n', '\n    ')}
users:
- name: u
  user:
    ${user.replaceAll('\n', '\n    ')}
`;

async function connect(t: TestContext, cluster: string, user?: string): Promise<Connection> {
  const folder = await folderOf(t, { config: kubeconfig(cluster, user), 'ca.crt': 'CA', 'me.crt': 'C', 'me.key': 'K' });
  return connectionOf(await loadKubeconfig([join(folder, 'config')]));
}

test('a context gives server, CA, proxy, name and token', async (t) => {
  const connection = await connect(
    t,
    `server: https://10.0.0.1:6443/k8s/clusters/a/
certificate-authority-data: ${base64('PEM')}
tls-server-name: api.internal
proxy-url: http://proxy:3128`,
  );
  assert.deepEqual(connection, {
    server: 'https://10.0.0.1:6443/k8s/clusters/a',
    ca: { data: 'PEM' },
    certificate: undefined,
    insecureSkipTlsVerify: false,
    tlsServerName: 'api.internal',
    proxyUrl: 'http://proxy:3128',
    identity: { kind: 'token', token: 'secret' },
    impersonation: {},
  });
});

test('files are taken relative to the kubeconfig', async (t) => {
  const folder = await folderOf(t, {
    config: kubeconfig(
      'server: https://a\ncertificate-authority: ca.crt',
      'client-certificate: me.crt\nclient-key: me.key\ntokenFile: token',
    ),
    'ca.crt': '',
    'me.crt': '',
    'me.key': '',
  });
  const connection = await connectionOf(await loadKubeconfig([join(folder, 'config')]));
  assert.deepEqual(connection.ca, { file: join(folder, 'ca.crt') });
  assert.deepEqual(connection.certificate, {
    cert: { file: join(folder, 'me.crt') },
    key: { file: join(folder, 'me.key') },
  });
  assert.deepEqual(connection.identity, { kind: 'tokenFile', file: join(folder, 'token'), token: undefined });
});

test('a plugin is described with its arguments, variables and the cluster it asks for', async (t) => {
  const { identity } = await connect(
    t,
    `server: https://a
extensions:
- name: client.authentication.k8s.io/exec
  extension: { audience: here }`,
    `exec:
  apiVersion: client.authentication.k8s.io/v1
  command: aws
  args: [eks, get-token]
  env: [{ name: AWS_PROFILE, value: test }]
  interactiveMode: Never
  installHint: install it
  provideClusterInfo: true`,
  );
  assert.ok(identity.kind === 'exec');
  const { clusterInfo, ...plugin } = identity.plugin;
  assert.deepEqual(plugin, {
    command: 'aws',
    args: ['eks', 'get-token'],
    env: { AWS_PROFILE: 'test' },
    apiVersion: 'client.authentication.k8s.io/v1',
    interactiveMode: 'Never',
    installHint: 'install it',
  });
  assert.equal(clusterInfo?.['server'], 'https://a');
  assert.deepEqual(clusterInfo?.['config'], { audience: 'here' });
});

test('a plugin is told the CA as data also if it is in a file', async (t) => {
  const exec = `exec:
  apiVersion: client.authentication.k8s.io/v1
  command: aws
  interactiveMode: Never
  provideClusterInfo: true`;
  for (const ca of ['certificate-authority: ca.crt', `certificate-authority-data: ${base64('CA')}`]) {
    const { identity } = await connect(t, `server: https://a\n${ca}`, exec);
    assert.ok(identity.kind === 'exec');
    assert.equal(identity.plugin.clusterInfo?.['certificate-authority-data'], base64('CA'));
  }
});

test('a token wins over a plugin, a token file over a token, a client certificate over a plugin', async (t) => {
  const exec = 'exec: { apiVersion: client.authentication.k8s.io/v1beta1, command: x }';
  const kind = async (user: string) => (await connect(t, 'server: https://a', user)).identity.kind;
  assert.equal(await kind(exec), 'exec');
  assert.equal(await kind(`token: t\n${exec}`), 'token');
  assert.equal(await kind('token: t\ntokenFile: f'), 'tokenFile');
  assert.equal(await kind(`client-certificate-data: ${base64('C')}\nclient-key-data: ${base64('K')}\n${exec}`), 'none');
  assert.equal(await kind('username: u\npassword: p'), 'basic');
});

test('credentials are not sent over plain HTTP', async (t) => {
  assert.deepEqual((await connect(t, 'server: http://a')).identity, { kind: 'none' });
  const bare = await connect(t, 'server: localhost:8080');
  assert.equal(bare.server, 'http://localhost:8080');
});

test('impersonation becomes headers', async (t) => {
  const { impersonation } = await connect(
    t,
    'server: https://a',
    'as: jane\nas-uid: u-1\nas-groups: [dev, ops]\nas-user-extra: { "Acme.com/Scope": [view] }',
  );
  assert.deepEqual(impersonation, {
    'impersonate-user': 'jane',
    'impersonate-uid': 'u-1',
    'impersonate-group': ['dev', 'ops'],
    'impersonate-extra-acme.com%2Fscope': ['view'],
  });
});

test('of several files, the first to name a thing wins; missing ones are passed over', async (t) => {
  const folder = await folderOf(t, {
    one: `current-context: main
contexts: [{ name: main, context: { cluster: c, user: u } }]
clusters: [{ name: c, cluster: { server: "https://one" } }]`,
    two: kubeconfig('server: https://two'),
  });
  const config = await loadKubeconfig([join(folder, 'none'), join(folder, 'one'), '', join(folder, 'two')]);
  const connection = await connectionOf(config);
  assert.equal(connection.server, 'https://one');
  assert.deepEqual(connection.identity, { kind: 'token', token: 'secret' });
});

test('another context can be named', async (t) => {
  const folder = await folderOf(t, {
    config: kubeconfig('server: https://a').replace(
      'contexts:',
      'contexts:\n- name: other\n  context: { cluster: c, user: nobody }',
    ),
  });
  const connection = await connectionOf(await loadKubeconfig([join(folder, 'config')]), 'other');
  assert.deepEqual(connection.identity, { kind: 'none' });
});

for (const [what, cluster, user, message] of [
  ['no server', 'tls-server-name: x', '{}', 'invalid configuration: no server found for cluster "c"'],
  [
    'an empty cluster',
    '{}',
    '{}',
    'invalid configuration: no configuration has been provided, try setting KUBERNETES_MASTER environment variable',
  ],
  ...(
    [
      'https://',
      'https://[::1',
      'https://a:99999',
      '" https://a"',
      'ftp://a',
      'unix+http://a',
      'file:///etc/passwd',
      'javascript:alert(1)',
    ] as const
  ).map((server) => {
    const shown = server.replaceAll('"', '');
    const message = `invalid configuration: invalid server "${shown}" for cluster "c": must be an address such as https://host:6443`;
    return [`the server ${shown}`, `server: ${server}`, '{}', message] as const;
  }),
  [
    'a CA twice',
    `server: https://a\ncertificate-authority: ca.crt\ncertificate-authority-data: ${base64('x')}`,
    '{}',
    'invalid configuration: certificate-authority-data and certificate-authority are both specified for c. certificate-authority-data will override.',
  ],
  [
    'a certificate without key',
    'server: https://a',
    `client-certificate-data: ${base64('x')}`,
    'invalid configuration: client-key-data or client-key must be specified for u to use the clientCert authentication method.',
  ],
  [
    'a proxy we do not speak to',
    'server: https://a\nproxy-url: socks5://p',
    '{}',
    `invalid configuration: invalid 'proxy-url' "socks5://p" for cluster "c": unsupported scheme "socks5", must be http or https`,
  ],
  [
    'a proxy with a password',
    'server: https://a\nproxy-url: http://jane:s3cret@p:port',
    '{}',
    `invalid configuration: invalid 'proxy-url' "http://***@p:port" for cluster "c": could not parse: http://***@p:port`,
  ],
  [
    'two methods',
    'server: https://a',
    'token: t\nusername: u',
    'invalid configuration: more than one authentication method found for u; found [token basicAuth], only one is allowed',
  ],
  [
    'a plugin without interactiveMode',
    'server: https://a',
    'exec: { apiVersion: client.authentication.k8s.io/v1, command: x }',
    'invalid configuration: interactiveMode must be specified for u to use exec authentication plugin',
  ],
  [
    'a plugin of an unknown version',
    'server: https://a',
    'exec: { apiVersion: client.authentication.k8s.io/v1alpha1, command: x, interactiveMode: Never }',
    'invalid configuration: exec plugin: invalid apiVersion "client.authentication.k8s.io/v1alpha1"',
  ],
  [
    'a provider of old',
    'server: https://a',
    'auth-provider: { name: gcp }',
    'invalid configuration: no Auth Provider found for name "gcp"',
  ],
  [
    'several problems',
    'tls-server-name: x',
    'as-uid: u-1',
    'invalid configuration: [requesting uid, groups or user-extra for u without impersonating a user, no server found for cluster "c"]',
  ],
] as const) {
  test(`a kubeconfig with ${what} is refused in kubectl’s words`, async (t) => {
    await assert.rejects(connect(t, cluster, user), { name: 'ConnectionConfigError', message });
  });
}

for (const [field, user] of [
  ['token', 'token: "s3cret\\nx"'],
  ['token', 'token: "s3cret→"'],
  ['as', 'as: "s3cret\\0"'],
  ['as-uid', 'as: x\nas-uid: "s3cret\\r"'],
  ['as-groups', 'as: x\nas-groups: [a, "s3cret\\n"]'],
  ['as-user-extra', 'as: x\nas-user-extra: { scopes: ["s3cret\\n"] }'],
] as const) {
  test(`a kubeconfig with ${JSON.stringify(user)} is refused: no header can hold it`, async (t) => {
    await assert.rejects(connect(t, 'server: https://a', user), {
      name: 'ConnectionConfigError',
      message: `invalid configuration: ${field} of u holds characters that no header may`,
    });
  });
}

test('a current context that is not there is named', async (t) => {
  const folder = await folderOf(t, { config: 'current-context: nowhere' });
  await assert.rejects(connectionOf(await loadKubeconfig([join(folder, 'config')])), {
    message:
      'invalid configuration: [context was not found for specified context: nowhere, cluster has no server defined]',
  });
});

/** How loading a file of this text is refused, everything an error may carry included. */
async function refusalOf(t: TestContext, text: string): Promise<{ message: string; everything: string }> {
  const folder = await folderOf(t, { config: text });
  const file = join(folder, 'config');
  let refusal: { message: string; everything: string } | undefined;
  await assert.rejects(loadKubeconfig([file]), (error: Error) => {
    assert.equal(error.name, 'ConnectionConfigError');
    refusal = {
      message: error.message.replace(`error loading config file "${file}": `, ''),
      everything: inspect(error, { depth: 9 }),
    };
    return true;
  });
  return refusal!;
}

for (const [what, user, message] of [
  ['an open quote', 'token: "s3cret', /^yaml: line \d+: missing char$/],
  ['two colons', 'token: a: s3cret', /^yaml: line 15: block as implicit key$/],
  ['a tab', '\ttoken: s3cret', /^yaml: line 15: tab as indent$/],
  ['an alias', 'token: *s3cret', /^yaml: an alias has no anchor, or there are too many$/],
  ['a list for a token', 'token: [s3cret]', /^users\[0\]\.user\.token: must be a string, not a list$/],
  ['a number for a token', 'token: 53', /^users\[0\]\.user\.token: must be a string, not a number$/],
  ['text for an exec plugin', 'exec: s3cret', /^users\[0\]\.user\.exec: must be a mapping, not a string$/],
  ['text for arguments', 'exec: { args: s3cret }', /^users\[0\]\.user\.exec\.args: must be a list, not a string$/],
  ['a mapping for groups', 'as-groups: { a: s3cret }', /^users\[0\]\.user\.as-groups: must be a list, not a mapping$/],
] as const) {
  test(`a kubeconfig with ${what} is refused without its secrets`, async (t) => {
    const refusal = await refusalOf(t, kubeconfig('server: https://a', user));
    assert.match(refusal.message, message);
    assert.doesNotMatch(refusal.everything, /s3cret|\b53\b/);
  });
}

for (const [text, message] of [
  ['- a', 'must be a mapping, not a list'],
  ['just text', 'must be a mapping, not a string'],
  ['clusters: {}', 'clusters: must be a list, not a mapping'],
  ['clusters: [null]', 'clusters[0]: must be a mapping, not null'],
  ['users: [u]', 'users[0]: must be a mapping, not a string'],
  ['contexts: [{ name: a, context: [] }]', 'contexts[0].context: must be a mapping, not a list'],
  ['clusters: [{ name: a, cluster: { server: 5 } }]', 'clusters[0].cluster.server: must be a string, not a number'],
  [
    'current-context: true\nclusters: 1',
    '[current-context: must be a string, not a boolean, clusters: must be a list, not a number]',
  ],
] as const) {
  test(`a kubeconfig of “${text.replace('\n', '; ')}” is refused with the place of what is wrong`, async (t) => {
    assert.equal((await refusalOf(t, text)).message, message);
  });
}

test('what a kubeconfig leaves empty is not there', async (t) => {
  const folder = await folderOf(t, { config: 'clusters:\nusers: null\ncontexts: [{ name: a, context: null }]' });
  const config = await loadKubeconfig([join(folder, 'config')]);
  assert.deepEqual([config.clusters.size, config.users.size, config.contexts.get('a')], [0, 0, {}]);
});

test('a file that is no kubeconfig is named', async (t) => {
  const folder = await folderOf(t, { config: 'a: [b' });
  const file = join(folder, 'config');
  await assert.rejects(loadKubeconfig([file]), (error: Error) =>
    error.message.startsWith(`error loading config file "${file}": `),
  );
});
