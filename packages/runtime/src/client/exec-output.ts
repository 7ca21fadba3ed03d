import type { Instant } from '../clock.ts';
import type { Credential } from './credentials.ts';
import { isHeaderValue } from './header-value.ts';
import { ConnectionError } from './transport.ts';

/** The fields of a status that are read, all of them strings. */
const FIELDS = ['token', 'clientCertificateData', 'clientKeyData', 'expirationTimestamp'] as const;

type ExecStatus = { readonly [F in (typeof FIELDS)[number]]?: string };

/**
 * Returns the credential that a plugin printed, with its expiry. Throws a ConnectionError, in client-go's words where
 * it has any. The error quotes nothing of the output, which may contain the credential.
 */
export function readCredential(apiVersion: string, output: string): { credential: Credential; expires: Instant } {
  const { apiVersion: returned, status } = parse(output);
  if (returned !== apiVersion) {
    throw new ConnectionError(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${String(returned)}`,
    );
  }
  if (status === undefined || status === null) throw new ConnectionError(`exec plugin didn't return a status field`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = readStatus(status);
  if (!token && !cert && !key) throw new ConnectionError(`exec plugin didn't return a token or cert/key pair`);
  if (!cert !== !key) throw new ConnectionError('exec plugin returned only certificate or key, not both');
  if (!isHeaderValue(token ?? '')) {
    throw new ConnectionError('exec plugin returned a token with characters that no header may hold');
  }
  return {
    credential: {
      authorization: token ? `Bearer ${token}` : undefined,
      certificate: cert && key ? { cert, key } : undefined,
    },
    expires: expirationTimestamp ? readTime(expirationTimestamp) : Number.POSITIVE_INFINITY,
  };
}

function parse(output: string): { readonly apiVersion?: unknown; readonly status?: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    throw new ConnectionError('decoding stdout: not valid JSON'); // the parser's message would quote the credential
  }
  if (typeof parsed !== 'object' || parsed === null) throw new ConnectionError('decoding stdout: not an object');
  return parsed;
}

/** Null counts as a missing field, as in Go. */
function readStatus(status: unknown): ExecStatus {
  if (typeof status !== 'object') throw new ConnectionError('decoding stdout: status is not an object');
  const fields = status as Readonly<Record<string, unknown>>;
  const read: Record<string, string> = {};
  for (const field of FIELDS) {
    const value = fields[field] ?? '';
    if (typeof value !== 'string') throw new ConnectionError(`decoding stdout: status.${field} is not a string`);
    read[field] = value;
  }
  return read;
}

/**
 * Refuses an invalid time. With one, no expiry would ever be in the future, and the plugin would run for every request.
 */
function readTime(text: string): Instant {
  const time = Date.parse(text);
  if (Number.isNaN(time)) throw new ConnectionError('decoding stdout: status.expirationTimestamp is not a time');
  return time;
}
