import { spawn } from 'node:child_process';
import { type Clock, type Instant, SECOND } from '../clock.ts';
import type { ExecPlugin } from './connection.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { ConnectionError } from './transport.ts';

export interface ExecOptions {
  readonly plugin: ExecPlugin;
  readonly clock: Clock;
  /** What the plugin inherits. */
  readonly env: NodeJS.ProcessEnv;
  /** Whether a person sits at standard input. */
  readonly isTerminal: boolean;
  /** Told when a refresh failed and the credential in hand, still valid, is used on. */
  readonly onStale: (error: Error) => void;
}

const EARLY = 60 * SECOND; // a request should not outlive its token
const RETRY_AFTER = 10 * SECOND; // a plugin that fails is not started for every request
const PLUGIN_TIMEOUT = 60 * SECOND;

interface Issued {
  readonly credential: Credential;
  readonly expires: Instant;
  /** From when on to ask again: a minute before the end, or half-way for what lives shorter than two. */
  readonly refresh: Instant;
}

/** Credentials printed by a program, kept until shortly before they expire. At most one run is under way. */
export class ExecCredentials implements CredentialSource {
  readonly #options: ExecOptions;
  #issued: Issued | undefined;
  #running: Promise<Issued> | undefined;

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  async current(): Promise<Credential> {
    const now = this.#options.clock.now();
    const issued = this.#issued;
    if (issued !== undefined && now < issued.refresh) return issued.credential;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    try {
      this.#issued = await this.#running;
      return this.#issued.credential;
    } catch (error) {
      if (issued === undefined || issued !== this.#issued || now >= issued.expires) throw error;
      this.#issued = { ...issued, refresh: Math.min(now + RETRY_AFTER, issued.expires) };
      this.#options.onStale(error as Error);
      return issued.credential;
    }
  }

  refuse(credential: Credential): void {
    if (credential === this.#issued?.credential) this.#issued = undefined;
  }

  async #run(): Promise<Issued> {
    const { plugin, clock } = this.#options;
    const { credential, expires } = readCredential(plugin.apiVersion, await this.#execute(this.#isInteractive()));
    const now = clock.now();
    return { credential, expires, refresh: Math.max(expires - EARLY, (now + expires) / 2) };
  }

  #isInteractive(): boolean {
    const { plugin, isTerminal } = this.#options;
    if (plugin.interactiveMode === 'Always' && !isTerminal) {
      throw new ConnectionError('exec plugin cannot support interactive mode: standard input is not a terminal');
    }
    return plugin.interactiveMode !== 'Never' && isTerminal;
  }

  /** What the plugin wrote to standard output. Its standard error goes to ours: it is meant for people. */
  #execute(interactive: boolean): Promise<string> {
    const { plugin, env, clock } = this.#options;
    const request = {
      kind: 'ExecCredential',
      apiVersion: plugin.apiVersion,
      spec: { interactive, ...(plugin.clusterInfo ? { cluster: plugin.clusterInfo } : {}) },
    };
    return new Promise((resolve, reject) => {
      const child = spawn(plugin.command, plugin.args, {
        env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(request) },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
      });
      const output: Buffer[] = [];
      const cancel = clock.after(PLUGIN_TIMEOUT, () => child.kill('SIGKILL'));
      child.stdout?.on('data', (chunk: Buffer) => output.push(chunk));
      child.on('error', (cause) => {
        cancel();
        reject(startFailure(plugin, cause));
      });
      child.on('close', (code) => {
        cancel();
        if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
        reject(new ConnectionError(`exec: executable ${plugin.command} failed with exit code ${code ?? -1}`));
      });
    });
  }
}

function startFailure(plugin: ExecPlugin, cause: Error): ConnectionError {
  if (!('code' in cause) || cause.code !== 'ENOENT') return new ConnectionError(`exec: ${cause.message}`, { cause });
  const hint = plugin.installHint === '' ? '' : `\n\n${plugin.installHint}`;
  return new ConnectionError(`exec: executable ${plugin.command} not found${hint}`, { cause });
}

interface ExecCredential {
  readonly apiVersion?: string;
  readonly status?: {
    readonly token?: string;
    readonly clientCertificateData?: string;
    readonly clientKeyData?: string;
    readonly expirationTimestamp?: string;
  };
}

function readCredential(apiVersion: string, output: string): { credential: Credential; expires: Instant } {
  const { apiVersion: returned, status } = parse(output);
  if (returned !== apiVersion) {
    throw new ConnectionError(
      `exec plugin is configured to use API version ${apiVersion}, plugin returned version ${returned}`,
    );
  }
  if (status === undefined) throw new ConnectionError(`exec plugin didn't return a status field`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = status;
  if (!token && !cert && !key) throw new ConnectionError(`exec plugin didn't return a token or cert/key pair`);
  if (!cert !== !key) throw new ConnectionError('exec plugin returned only certificate or key, not both');
  return {
    credential: {
      authorization: token ? `Bearer ${token}` : undefined,
      certificate: cert && key ? { cert, key } : undefined,
    },
    expires: expirationTimestamp ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY,
  };
}

function parse(output: string): ExecCredential {
  let parsed: unknown;
  try {
    parsed = JSON.parse(output);
  } catch {
    throw new ConnectionError('decoding stdout: not valid JSON'); // the parser's words would quote the credential
  }
  if (typeof parsed !== 'object' || parsed === null) throw new ConnectionError('decoding stdout: not an object');
  return parsed;
}
