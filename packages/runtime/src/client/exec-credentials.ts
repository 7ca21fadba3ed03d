import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';
import { type Clock, type Instant, SECOND } from '../clock.ts';
import type { ExecPlugin } from './connection.ts';
import type { Credential, CredentialSource } from './credentials.ts';
import { readCredential } from './exec-output.ts';
import { ConnectionError } from './transport.ts';
import { unlessAborted } from '../unless-aborted.ts';

export interface ExecOptions {
  readonly plugin: ExecPlugin;
  readonly clock: Clock;
  /** The environment of the plugin. */
  readonly env: NodeJS.ProcessEnv;
  /** Whether standard input is a terminal. */
  readonly isTerminal: boolean;
  /** Called when a refresh failed and the current credential, which is still valid, stays in use. */
  readonly onStale: (error: Error) => void;
}

const EARLY = 60 * SECOND; // a request should not outlive its token
const RETRY_AFTER = 10 * SECOND; // a plugin that fails is not started for every request
const PLUGIN_TIMEOUT = 60 * SECOND;
/** Far more than any credential needs. */
const MOST_OUTPUT = 1024 * 1024;
/**
 * How long requests wait for a refresh while the current credential is valid; less than the timeout of a lease renewal.
 */
const REFRESH_WAIT = 2 * SECOND;

interface Issued {
  readonly credential: Credential;
  readonly expires: Instant;
  /** When to refresh: a minute before the expiry, or half-way for credentials that live shorter than two minutes. */
  readonly refresh: Instant;
}

/**
 * Credentials printed by an exec plugin, cached until shortly before they expire. At most one run is under way, and all
 * requests share its outcome. While the credential is valid, a run that fails or hangs delays a request only briefly.
 */
export class ExecCredentials implements CredentialSource {
  readonly #options: ExecOptions;
  readonly #closing = new AbortController();
  #issued: Issued | undefined;
  #running: Promise<Issued> | undefined;
  #refreshing: Promise<Issued> | undefined;

  constructor(options: ExecOptions) {
    this.#options = options;
  }

  /** The run under way is shared, so it continues when one of its waiters gives up. */
  async current(signal?: AbortSignal): Promise<Credential> {
    const issued = this.#issued;
    if (issued !== undefined && this.#options.clock.now() < issued.refresh) return issued.credential;
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return (await unlessAborted(this.#refreshing, signal)).credential;
  }

  refuse(credential: Credential): void {
    if (credential === this.#issued?.credential) this.#issued = undefined;
  }

  close(): void {
    this.#closing.abort(new ConnectionError('transport is closed'));
  }

  /** Returns a new credential; if that fails, the current one as long as it is valid and was not refused. */
  async #refresh(): Promise<Issued> {
    const { clock, onStale } = this.#options;
    const present = this.#issued;
    const isUsable = (): boolean => present === this.#issued && clock.now() < present!.expires;
    if (present === undefined || !isUsable()) return this.#run();
    try {
      return await this.#runPatiently();
    } catch (error) {
      if (isUsable()) {
        this.#issued = { ...present, refresh: Math.min(clock.now() + RETRY_AFTER, present.expires) };
        onStale(error as Error);
        return this.#issued;
      }
      if (this.#running !== undefined) return this.#running; // it is only slow, and there is no other credential to use
      throw error;
    }
  }

  /** Like `#run`, but rejects if the run takes too long. The run continues, and later callers get its result. */
  async #runPatiently(): Promise<Issued> {
    const { clock, plugin } = this.#options;
    const patience = new AbortController();
    const cancel = clock.after(REFRESH_WAIT, () =>
      patience.abort(
        new ConnectionError(`exec: executable ${plugin.command} takes longer than ${REFRESH_WAIT / SECOND}s`),
      ),
    );
    return unlessAborted(this.#run(), patience.signal).finally(cancel);
  }

  /** Starts the plugin, unless it is running. */
  #run(): Promise<Issued> {
    this.#running ??= this.#issue().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  async #issue(): Promise<Issued> {
    const { plugin, clock } = this.#options;
    const { credential, expires } = readCredential(plugin.apiVersion, await this.#execute(this.#isInteractive()));
    const now = clock.now();
    this.#issued = { credential, expires, refresh: Math.max(expires - EARLY, (now + expires) / 2) };
    return this.#issued;
  }

  #isInteractive(): boolean {
    const { plugin, isTerminal } = this.#options;
    if (plugin.interactiveMode === 'Always' && !isTerminal) {
      throw new ConnectionError('exec plugin cannot support interactive mode: standard input is not a terminal');
    }
    return plugin.interactiveMode !== 'Never' && isTerminal;
  }

  /**
   * Returns what the plugin wrote to standard output. Its standard error goes to ours, because it is meant for people.
   */
  #execute(interactive: boolean): Promise<string> {
    const { plugin, env, clock } = this.#options;
    const request = {
      kind: 'ExecCredential',
      apiVersion: plugin.apiVersion,
      spec: { interactive, ...(plugin.clusterInfo ? { cluster: plugin.clusterInfo } : {}) },
    };
    const { signal } = this.#closing;
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const child = start(plugin, {
        env: { ...env, ...plugin.env, KUBERNETES_EXEC_INFO: JSON.stringify(request) },
        stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'inherit'],
        detached: !interactive, // a process group of its own; a plugin that prompts must stay in the terminal's group
      });
      const output: Buffer[] = [];
      let size = 0;
      const giveUp = (error: unknown): void => {
        killAll(child, !interactive);
        child.stdout?.destroy(); // also if a process that was not killed still holds the other end open
        child.unref();
        reject(error);
      };
      const cancel = clock.after(PLUGIN_TIMEOUT, () =>
        giveUp(
          new ConnectionError(`exec: executable ${plugin.command} printed nothing within ${PLUGIN_TIMEOUT / SECOND}s`),
        ),
      );
      const onClosing = (): void => giveUp(signal.reason);
      signal.addEventListener('abort', onClosing, { once: true });
      const end = (): void => {
        cancel();
        signal.removeEventListener('abort', onClosing);
      };
      child.stdout?.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size <= MOST_OUTPUT) {
          output.push(chunk);
          return;
        }
        end();
        giveUp(new ConnectionError(`exec: executable ${plugin.command} printed more than 1 MiB`));
      });
      child.on('error', (cause) => {
        end();
        reject(startFailure(plugin, cause));
      });
      child.on('close', (code) => {
        end();
        if (code === 0) return resolve(Buffer.concat(output).toString('utf8'));
        reject(new ConnectionError(`exec: executable ${plugin.command} failed with exit code ${code ?? -1}`));
      });
    });
  }
}

function start(plugin: ExecPlugin, options: SpawnOptions): ChildProcess {
  try {
    return spawn(plugin.command, plugin.args, options);
  } catch {
    // Only null bytes are refused here, because no program can be given them. Node's own message would quote the
    // text.
    throw new ConnectionError('exec: command, args or env of the plugin hold a null byte');
  }
}

/**
 * Kills the plugin and its process group: killing only a shell leaves its children running. Never throws, because a
 * timer or a signal calls it and nobody would catch the error.
 */
function killAll(child: ChildProcess, leadsGroup: boolean): void {
  if (child.pid === undefined) return; // it could not be started
  try {
    process.kill(leadsGroup ? -child.pid : child.pid, 'SIGKILL');
  } catch {
    // All processes are gone, or they belong to another user (sudo); those are left alone.
  }
}

function startFailure(plugin: ExecPlugin, cause: Error): ConnectionError {
  if (!('code' in cause) || cause.code !== 'ENOENT') return new ConnectionError(`exec: ${cause.message}`, { cause });
  const hint = plugin.installHint === '' ? '' : `\n\n${plugin.installHint}`;
  return new ConnectionError(`exec: executable ${plugin.command} not found${hint}`, { cause });
}
