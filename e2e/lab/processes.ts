import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

/** Identifies a process, so that a later one with the same pid is not mistaken for it. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque, comparable on one host only. */
  readonly startTime: string;
}

interface Program {
  readonly path: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Gets standard output and error, appended. */
  readonly logPath: string;
  /** Notes the process where a later run finds it. Called before the program gets to run. */
  readonly record: (identity: ProcessIdentity) => void;
}

/** How a program ended. */
interface Exit {
  readonly succeeded: boolean;
  /** For a sentence about the program: "exited with code 1". */
  readonly how: string;
}

interface StartedProgram {
  readonly identity: ProcessIdentity;
  /** Never rejects. */
  readonly exited: Promise<Exit>;
  /** Lets our process end while the program still runs. */
  readonly leave: () => void;
}

// A shell that waits for a line and then executes the program. If we die before sending the line, it reads the end of
// the pipe and exits. So every program that runs is recorded.
const GATE = 'read -r go && exec "$@" </dev/null';

/** Starts a program in a session of its own: it outlives us, and Ctrl-C in our terminal does not reach it. */
export function startProgram({ path, args, folder, env, logPath, record }: Program): StartedProgram {
  const log = openSync(logPath, 'a', 0o600);
  const child = spawn('/bin/sh', ['-c', GATE, 'sh', path, ...args], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['pipe', log, log],
  });
  closeSync(log);
  const exited = awaitExit(child);
  const identity = identify(child.pid ?? 0);
  if (identity === undefined) throw new Error(`could not start ${path}`);
  child.stdin?.on('error', () => undefined); // the shell is gone: `exited` tells
  try {
    record(identity);
    child.stdin?.end('go\n');
  } catch (error) {
    child.stdin?.destroy();
    throw error;
  }
  return { identity, exited, leave: () => child.unref() };
}

/** The running process with this pid, or undefined. */
export function identify(pid: number): ProcessIdentity | undefined {
  const startTime = findStartTime(pid);
  return startTime === undefined ? undefined : { pid, startTime };
}

/** True while that very process runs; false for a zombie and for a later process with its pid. */
export function isRunning({ pid, startTime }: ProcessIdentity): boolean {
  return findStartTime(pid) === startTime;
}

/** Terminates the process: SIGTERM, then SIGKILL after the grace period. Returns when it is gone. */
export async function stopProcess(identity: ProcessIdentity, graceMs: number): Promise<void> {
  if (await endsWithin(identity, 'SIGTERM', graceMs)) return;
  await killProcess(identity);
}

/** Kills the process with SIGKILL and returns when it is gone. */
export async function killProcess(identity: ProcessIdentity): Promise<void> {
  if (await endsWithin(identity, 'SIGKILL', KILLED_WITHIN_MS)) return;
  throw new Error(`process ${identity.pid} does not end, not even by SIGKILL`);
}

const KILLED_WITHIN_MS = 10_000;

async function endsWithin(identity: ProcessIdentity, signal: NodeJS.Signals, graceMs: number): Promise<boolean> {
  if (!isRunning(identity)) return true;
  signalProcess(identity.pid, signal);
  for (const deadline = Date.now() + graceMs; Date.now() < deadline; ) {
    await setTimeout(20);
    if (!isRunning(identity)) return true;
  }
  return false;
}

function signalProcess(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error; // it ended by itself: that is what we want
  }
}

async function awaitExit(child: ChildProcess): Promise<Exit> {
  try {
    const [code, signal] = await once(child, 'exit');
    return { succeeded: code === 0, how: code === null ? `was ended by ${signal}` : `exited with code ${code}` };
  } catch (error) {
    return { succeeded: false, how: `did not start: ${(error as Error).message}` };
  }
}

function findStartTime(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    // Elsewhere ps knows, to the second.
    return parsePs(execFileSync('ps', ['-o', 'stat=', '-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }));
  } catch {
    return undefined; // no such process
  }
}

/** The start time in /proc/<pid>/stat, in ticks since boot; undefined for a zombie. The name may hold anything. */
export function parseStat(stat: string): string | undefined {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // from field 3, the state; proc(5)
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[22 - 3];
}

function parsePs(line: string): string | undefined {
  const [state = 'Z', ...startTime] = line.trim().split(/\s+/);
  return state.startsWith('Z') ? undefined : startTime.join(' ');
}
