import { readFile } from 'node:fs/promises';
import { SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';
import type { Connection, Pem } from './connection.ts';
import { ConnectionError } from './transport.ts';

/** The certificates and key of a TLS connection, in PEM. The same object as long as nothing has changed. */
export interface TlsMaterial {
  readonly ca: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

const REREAD_AFTER = 60 * SECOND;

/**
 * The certificates of a connection. They are rotated on disk, so they are read again every minute and after a failed
 * connection.
 */
export class TlsFiles {
  readonly #connection: Connection;
  readonly #clock: SteadyClock;
  #material: TlsMaterial | undefined;
  #readAt = Number.NEGATIVE_INFINITY; // elapsed milliseconds

  constructor(connection: Connection, clock: SteadyClock) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Rejects with a ConnectionError if a file cannot be read and never could. */
  async current(): Promise<TlsMaterial> {
    const now = this.#clock.elapsed();
    if (this.#material !== undefined && now - this.#readAt < REREAD_AFTER) return this.#material;
    const { ca, certificate } = this.#connection;
    try {
      const read = { ca: await load(ca), cert: await load(certificate?.cert), key: await load(certificate?.key) };
      this.#readAt = now;
      if (!isSameMaterial(read, this.#material)) this.#material = read;
    } catch (cause) {
      // During a rotation a file may be missing: the last certificates stay in use.
      if (this.#material === undefined) {
        throw new ConnectionError(`cannot read certificates: ${(cause as Error).message}`, { cause });
      }
    }
    return this.#material as TlsMaterial;
  }

  /** Called when a connection failed, because outdated files may be the cause. */
  expire(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}

async function load(pem: Pem | undefined): Promise<string | undefined> {
  if (pem === undefined) return undefined;
  return 'data' in pem ? pem.data : readFile(pem.file, 'utf8');
}

/** Whether two sets of certificates are equal, so that connections made with one can stay in use. */
export function isSameMaterial(a: TlsMaterial, b: TlsMaterial | undefined): boolean {
  return b !== undefined && a.ca === b.ca && a.cert === b.cert && a.key === b.key;
}
