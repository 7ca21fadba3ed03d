import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { issueCertificate } from './certificates.ts';

const NOW = Date.now();
const ISSUED = issueCertificate(NOW);
const CA = new X509Certificate(ISSUED.ca);
const LEAF = new X509Certificate(ISSUED.certificate);

test('the authority signs itself and the server, and only the authority may sign', () => {
  assert.ok(CA.verify(CA.publicKey));
  assert.ok(LEAF.verify(CA.publicKey));
  assert.ok(LEAF.checkIssued(CA));
  assert.deepEqual([CA.ca, LEAF.ca], [true, false]);
});

test('the certificate is for this host and for serving', () => {
  assert.equal(LEAF.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1');
  assert.equal(LEAF.checkIP('127.0.0.1'), '127.0.0.1');
  assert.equal(LEAF.checkIP('127.0.0.2'), undefined);
  assert.equal(LEAF.checkHost('localhost'), 'localhost');
  assert.deepEqual(LEAF.keyUsage, ['1.3.6.1.5.5.7.3.1']);
});

test('it is good from an hour ago, for a year', () => {
  assert.ok(Math.abs(LEAF.validFromDate.getTime() - (NOW - 3_600_000)) < 1000);
  assert.ok(Math.abs(LEAF.validToDate.getTime() - (NOW + 365 * 86_400_000)) < 1000);
});

test('every certificate has its own keys and number', () => {
  const other = issueCertificate(NOW);
  const numbers = [ISSUED.ca, ISSUED.certificate, other.ca, other.certificate].map(
    (pem) => new X509Certificate(pem).serialNumber,
  );
  assert.equal(new Set(numbers).size, 4);
  assert.notEqual(other.key, ISSUED.key);
});

test('a client that trusts the authority shakes hands, one that does not refuses', async (t) => {
  const server = createServer({ key: ISSUED.key, cert: ISSUED.certificate }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  for (const servername of ['localhost', undefined]) {
    const socket = connect({ port, host: '127.0.0.1', ca: ISSUED.ca, ...(servername && { servername }) });
    await once(socket, 'secureConnect');
    assert.ok(socket.authorized);
    socket.destroy();
  }
  const stranger = connect({ port, host: '127.0.0.1' });
  await assert.rejects(once(stranger, 'secureConnect'), { code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' });
});
