import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';
import { bits, instant, objectId, octets, sequence, set, TRUE, tagged, text, unsigned } from './der.ts';

const HOUR = 3_600_000;
const LIFETIME = 365 * 24 * HOUR;

/** The server's certificate and key, and the CA that clients trust; all PEM. */
export interface ServerCertificate {
  /** The CA certificate for clients, made for this one server. Its key is not kept. */
  readonly ca: string;
  readonly certificate: string;
  readonly key: string;
}

/** A new certificate for `localhost`, `127.0.0.1` and `::1`, good for a year, and the authority behind it. */
export function issueCertificate(now: number): ServerCertificate {
  const validity = { from: now - HOUR, to: now + LIFETIME }; // clocks differ
  const authority = party('karpenter-ts embedded CA');
  const server = party('karpenter-ts embedded API server');
  const ca = certify({ subject: authority, issuer: authority, validity, extensions: authorityExtensions(authority) });
  const certificate = certify({
    subject: server,
    issuer: authority,
    validity,
    extensions: serverExtensions(server, authority),
  });
  const key = server.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  return { ca: pem(ca), certificate: pem(certificate), key };
}

/** A name with a key on the P-256 curve. */
interface Party {
  readonly name: Buffer;
  readonly privateKey: KeyObject;
  /** As it stands in a certificate. */
  readonly publicKey: Buffer;
  readonly keyId: Buffer;
}

function party(commonName: string): Party {
  const { privateKey, publicKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicKey = key.export({ type: 'spki', format: 'der' });
  return {
    name: sequence(set(sequence(objectId('2.5.4.3'), text(commonName)))),
    privateKey,
    publicKey,
    keyId: createHash('sha1').update(publicKey).digest(),
  };
}

interface Draft {
  readonly subject: Party;
  readonly issuer: Party;
  readonly validity: { readonly from: number; readonly to: number };
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = sequence(objectId('1.2.840.10045.4.3.2'));

/** RFC 5280, section 4.1. */
function certify({ subject, issuer, validity, extensions }: Draft): Buffer {
  const content = sequence(
    tagged(0, 'values', unsigned(Buffer.of(2))), // version 3
    unsigned(randomBytes(16)),
    ECDSA_WITH_SHA256,
    issuer.name,
    sequence(instant(validity.from), instant(validity.to)),
    subject.name,
    subject.publicKey,
    tagged(3, 'values', sequence(...extensions)),
  );
  return sequence(content, ECDSA_WITH_SHA256, bits(sign('sha256', content, issuer.privateKey)));
}

/** RFC 5280, section 4.2.1: what the keys are good for. */
function authorityExtensions({ keyId }: Party): readonly Buffer[] {
  return [
    critical('2.5.29.19', sequence(TRUE, unsigned(Buffer.of(0)))), // an authority, for servers only
    critical('2.5.29.15', bits(Buffer.of(0b0000_0100), 2)), // signs certificates
    extension('2.5.29.14', octets(keyId)),
  ];
}

function serverExtensions(server: Party, authority: Party): readonly Buffer[] {
  return [
    critical('2.5.29.19', sequence()), // no authority
    critical('2.5.29.15', bits(Buffer.of(0b1000_0000), 7)), // signs handshakes
    extension('2.5.29.37', sequence(objectId('1.3.6.1.5.5.7.3.1'))), // as a server
    extension('2.5.29.14', octets(server.keyId)),
    extension('2.5.29.35', sequence(tagged(0, 'bytes', authority.keyId))),
    extension('2.5.29.17', alternativeNames()),
  ];
}

function alternativeNames(): Buffer {
  const loopback6 = Buffer.alloc(16);
  loopback6[15] = 1;
  return sequence(
    tagged(2, 'bytes', Buffer.from('localhost')),
    tagged(7, 'bytes', Buffer.of(127, 0, 0, 1)),
    tagged(7, 'bytes', loopback6),
  );
}

const extension = (id: string, value: Buffer): Buffer => sequence(objectId(id), octets(value));

const critical = (id: string, value: Buffer): Buffer => sequence(objectId(id), TRUE, octets(value));

function pem(certificate: Buffer): string {
  const lines = certificate.toString('base64').match(/.{1,64}/g)!;
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
