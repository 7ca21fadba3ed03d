import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { LabError } from './lab-error.ts';

/** The Go that a build in some folder would use. */
export interface GoToolchain {
  readonly version: string;
  readonly platform: string;
}

// What the go.mod files under components/ ask for.
const OLDEST = { major: 1, minor: 26 };
const FIX = `install Go ${OLDEST.major}.${OLDEST.minor} or newer from https://go.dev/dl and put it on the PATH`;

/**
 * Asks Go, in the folder to be built: an older Go that may fetch newer toolchains answers with the one it would
 * fetch. Throws one line with the fix when there is no Go or it is too old.
 */
export async function getGoToolchain(folder: string, env: NodeJS.ProcessEnv = goEnvironment()): Promise<GoToolchain> {
  const answer = await promisify(execFile)('go', ['env', '-json', 'GOVERSION', 'GOOS', 'GOARCH'], {
    cwd: folder,
    env,
  }).catch((error: NodeJS.ErrnoException & { readonly stderr?: string }) => {
    if (error.code === 'ENOENT') throw new LabError(`the lab is built with Go, and there is none here: ${FIX}`);
    throw new LabError(`Go cannot build the lab (${firstLine(error.stderr) ?? error.message}): ${FIX}`);
  });
  const { GOVERSION, GOOS, GOARCH } = JSON.parse(answer.stdout) as Readonly<Record<string, string>>;
  if (!isRecentEnough(GOVERSION ?? '')) throw new LabError(`${GOVERSION} is too old to build the lab: ${FIX}`);
  return { version: GOVERSION ?? '', platform: `${GOOS}/${GOARCH}` };
}

/** The environment of a build: the user's, less what would change the result or build for another host. */
export function goEnvironment(env: NodeJS.ProcessEnv = process.env): NodeJS.ProcessEnv {
  const { GOOS: _os, GOARCH: _arch, GOFLAGS: _flags, ...rest } = env;
  return { ...rest, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false' };
}

/** True for the oldest Go that the go.mod files accept and all later ones, release candidates and forks included. */
export function isRecentEnough(goVersion: string): boolean {
  const match = /(?:^|\s)(?:go|devel go)(\d+)\.(\d+)/.exec(goVersion);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > OLDEST.major || (major === OLDEST.major && minor >= OLDEST.minor);
}

function firstLine(text: string | undefined): string | undefined {
  return text?.trim().split('\n')[0] || undefined;
}
