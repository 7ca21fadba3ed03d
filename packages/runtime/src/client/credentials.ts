import { readFile } from 'node:fs/promises';
import { SECOND } from '../clock.ts';
import type { SteadyClock } from '../steady-clock.ts';
import { isHeaderValue } from './header-value.ts';
import { ConnectionError } from './transport.ts';

/** Proof of identity: a header, a client certificate, both or nothing. */
export interface Credential {
  readonly authorization?: string | undefined;
  readonly certificate?: { readonly cert: string; readonly key: string } | undefined;
}

/** Where credentials come from. Two credentials are the same exactly if they are the same object. */
export interface CredentialSource {
  /** Rejects with the signal's reason if it aborts first. */
  current(signal?: AbortSignal): Promise<Credential>;
  /** Called when the server answered 401: the credential is fetched again before its next use. */
  refuse(credential: Credential): void;
  /** Ends the fetch that is under way. No fetch starts afterwards. */
  close?(): void;
}

export function fixedCredential(credential: Credential): CredentialSource {
  return { current: async () => credential, refuse: () => {} };
}

export function basicCredential(username: string, password: string): Credential {
  return { authorization: `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}` };
}

export function tokenCredential(token: string): Credential {
  return { authorization: `Bearer ${token}` };
}

const REREAD_AFTER = 60 * SECOND; // bound tokens live an hour, and are replaced on disk after four fifths of it

export interface TokenFileOptions {
  readonly file: string;
  /** The token to use until the file has been read for the first time. */
  readonly fallback: string | undefined;
  readonly clock: SteadyClock;
  /** Called when the file cannot be read and the last token stays in use. */
  readonly onStale: (error: Error) => void;
}

/** The token in a file, read again every minute and after a refusal. */
export class TokenFile implements CredentialSource {
  readonly #options: TokenFileOptions;
  #token: string | undefined;
  #credential: Credential | undefined;
  #readAt = Number.NEGATIVE_INFINITY; // elapsed milliseconds

  constructor(options: TokenFileOptions) {
    this.#options = options;
    if (options.fallback !== undefined) this.#keep(options.fallback);
  }

  async current(): Promise<Credential> {
    const { clock, onStale } = this.#options;
    const now = clock.elapsed();
    if (this.#credential !== undefined && now - this.#readAt < REREAD_AFTER) return this.#credential;
    try {
      this.#keep(await this.#read());
      this.#readAt = now;
    } catch (error) {
      if (this.#credential === undefined) throw error;
      onStale(error as Error);
    }
    return this.#credential as Credential;
  }

  refuse(credential: Credential): void {
    if (credential === this.#credential) this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<string> {
    const { file } = this.#options;
    let text: string;
    try {
      text = await readFile(file, 'utf8');
    } catch (cause) {
      throw new ConnectionError(`failed to read token file "${file}": ${(cause as Error).message}`, { cause });
    }
    const token = text.trim();
    if (token === '') throw new ConnectionError(`read empty token from file "${file}"`);
    if (!isHeaderValue(token)) {
      throw new ConnectionError(`the token in file "${file}" holds characters that no header may`);
    }
    return token;
  }

  #keep(token: string): void {
    if (token === this.#token) return;
    this.#token = token;
    this.#credential = tokenCredential(token);
  }
}
