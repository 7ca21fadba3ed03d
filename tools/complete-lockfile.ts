// Adds to package-lock.json the optional packages of other platforms that the registry at hand does not have. `npm ci`
// insists that a lockfile names them all, though it installs none of them here. Run it after `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

interface LockedPackage {
  readonly version: string;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly os?: readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** The lockfile with every optional dependency named; those added carry the platform their name tells. */
export function completeLockfile(lockfile: Lockfile): Lockfile {
  const packages: Record<string, LockedPackage> = { ...lockfile.packages };
  for (const { dev, optionalDependencies = {} } of Object.values(lockfile.packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      packages[`node_modules/${name}`] ??= { version, ...(dev && { dev }), optional: true, ...platformOf(name) };
    }
  }
  const sorted = Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1));
  return { ...lockfile, packages: Object.fromEntries(sorted) };
}

const PLATFORM = /(android|darwin|freebsd|linux|openharmony|win32)-(arm64|x64|ia32|ppc64|riscv64|s390x|arm)(?:-(.+))?$/;

function platformOf(name: string): Pick<LockedPackage, 'os' | 'cpu' | 'libc'> {
  const match = PLATFORM.exec(name);
  if (!match) throw new Error(`cannot tell the platform of ${name} from its name`);
  const [, os, cpu, variant = ''] = match;
  const libc = os !== 'linux' || variant === '' ? undefined : [variant.includes('musl') ? 'musl' : 'glibc'];
  return { os: [os!], cpu: [cpu!], ...(libc && { libc }) };
}

if (import.meta.main) {
  const path = join(import.meta.dirname, '../package-lock.json');
  const lockfile = JSON.parse(readFileSync(path, 'utf8')) as Lockfile;
  writeFileSync(path, `${JSON.stringify(completeLockfile(lockfile), undefined, 2)}\n`);
}
