import assert from 'node:assert/strict';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import { CA, ROTATED_CA, SERVER } from '@karpenter-ts/runtime/testing';
import { NEVER, startClients } from './testing/answering-server.ts';
import { writeFiles } from './testing/environment.ts';

/** AWS at api.internal, whose certificate its own CA has signed. Answers everything with an empty listing. */
async function startSecureAws(t: TestContext): Promise<number> {
  const answer = '<DescribeSubnetsResponse><subnetSet/></DescribeSubnetsResponse>';
  return listen(
    t,
    createSecureServer(SERVER, (_, response) => response.end(answer)),
  );
}

interface Tunnel {
  readonly to: string;
  readonly headers: IncomingHttpHeaders;
}

/** A proxy that takes every tunnel to this port of this host, wherever it was to go. Remembers what it was asked for. */
async function startProxy(t: TestContext, target: number) {
  const tunnels: Tunnel[] = [];
  const open = new Set<Socket>();
  const proxy = createServer();
  proxy.on('connect', ({ url = '', headers }, client: Socket) => {
    tunnels.push({ to: url, headers });
    const server = connect(target, '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n');
      server.pipe(client).pipe(server);
    });
    for (const socket of [server, client]) open.add(socket.on('error', () => socket.destroy()));
  });
  const port = await listen(t, proxy);
  t.after(() => {
    for (const socket of open) socket.destroy();
  });
  return { tunnels, port };
}

async function listen(t: TestContext, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const AWS = 'https://api.internal:8443';

test('TLS goes through a tunnel of HTTPS_PROXY, to a server that AWS_CA_BUNDLE trusts', async (t) => {
  const { tunnels, port } = await startProxy(t, await startSecureAws(t));
  const files = writeFiles(t, { 'ca.pem': `${ROTATED_CA}\n${CA}\n` });
  const { apis } = await startClients(t, AWS, {
    HTTPS_PROXY: `http://jane:pw@127.0.0.1:${port}`,
    AWS_CA_BUNDLE: files.path('ca.pem'),
  });
  await apis.ec2.describeSubnets({}, NEVER);
  await apis.ec2.describeSubnets({}, NEVER);
  assert.deepEqual(
    tunnels.map(({ to, headers }) => [to, headers['proxy-authorization']]),
    [['api.internal:8443', `Basic ${Buffer.from('jane:pw').toString('base64')}`]],
    'the connection is kept',
  );
});

test('ARC goes through the same proxy', async (t) => {
  const { tunnels, port } = await startProxy(t, await startSecureAws(t));
  const files = writeFiles(t, { 'ca.pem': CA });
  const env = { https_proxy: `http://127.0.0.1:${port}`, AWS_CA_BUNDLE: files.path('ca.pem') };
  const { apis } = await startClients(t, AWS, env);
  await assert.rejects(apis.arcZonalShift.getManagedResource({ resourceIdentifier: 'demo' }, NEVER), /ARC Zonal Shift/);
  assert.equal(tunnels[0]?.to, 'api.internal:8443');
});

test('hosts that NO_PROXY names are reached without the proxy', async (t) => {
  const { tunnels, port } = await startProxy(t, await startSecureAws(t));
  for (const NO_PROXY of ['api.internal', '.internal', '*']) {
    const { apis } = await startClients(t, AWS, { HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY });
    await assert.rejects(apis.ec2.describeSubnets({}, NEVER), /api\.internal/);
  }
  assert.deepEqual(tunnels, []);
});

test('a server whose certificate nobody vouches for is not talked to', async (t) => {
  const port = await startSecureAws(t);
  const unknown = /^operation error EC2: DescribeSubnets, .*(certificate|self.signed|issuer)/;
  const { apis } = await startClients(t, `https://127.0.0.1:${port}`);
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), { message: unknown });
  const files = writeFiles(t, { 'other.pem': ROTATED_CA, 'ca.pem': CA });
  const env = { AWS_CA_BUNDLE: files.path('other.pem') };
  const { apis: others } = await startClients(t, `https://127.0.0.1:${port}`, env);
  await assert.rejects(others.ec2.describeSubnets({}, NEVER), { message: unknown });
  const { apis: right } = await startClients(t, `https://127.0.0.1:${port}`, { AWS_CA_BUNDLE: files.path('ca.pem') });
  await right.ec2.describeSubnets({}, NEVER);
});

test('a proxy that does not answer is an error that names the call', async (t) => {
  const { apis } = await startClients(t, AWS, { HTTPS_PROXY: 'http://127.0.0.1:1' });
  await assert.rejects(apis.ec2.describeSubnets({}, NEVER), {
    message: /^operation error EC2: DescribeSubnets, .*127\.0\.0\.1:1/,
  });
});

test('a bundle that is not there, or holds no certificate, ends the start with an error that says so', async (t) => {
  const files = writeFiles(t, { 'no.pem': 'nonsense' });
  await assert.rejects(startClients(t, AWS, { AWS_CA_BUNDLE: files.path('missing.pem') }), {
    message: /^failed to load custom CA bundle PEM file, ENOENT/,
  });
  await assert.rejects(startClients(t, AWS, { AWS_CA_BUNDLE: files.path('no.pem') }), {
    message: /^failed to load custom CA bundle PEM file/,
  });
});
