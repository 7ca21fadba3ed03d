// Which package may import which, and in which direction the folders of a package point. `npm run lint` enforces this
// table; docs/architecture.md explains it.
import { posix } from 'node:path';

/** What the sources of each package may import of ours. Tests and test fixtures may also import ALSO_IN_TESTS. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  kubernetes: [],
  cel: ['kubernetes'],
  apis: ['kubernetes', 'cel'],
  scheduling: ['kubernetes', 'apis'],
  runtime: ['kubernetes', 'apis'],
  cloudprovider: ['kubernetes', 'apis', 'scheduling', 'runtime'],
  core: ['kubernetes', 'apis', 'scheduling', 'runtime', 'cloudprovider'],
  'provider-kwok': ['kubernetes', 'apis', 'scheduling', 'runtime', 'cloudprovider'],
  'ec2-facts': [],
  'provider-aws': ['kubernetes', 'apis', 'scheduling', 'runtime', 'cloudprovider', 'ec2-facts'],
  'aws-emulator': ['kubernetes', 'ec2-facts'],
  embedded: ['kubernetes', 'apis', 'runtime'],
  'embedded-contract': ['kubernetes', 'apis', 'runtime', 'embedded'],
  cli: [
    'kubernetes',
    'apis',
    'scheduling',
    'runtime',
    'cloudprovider',
    'core',
    'provider-kwok',
    'provider-aws',
    'aws-emulator',
    'embedded',
  ],
};

/** CEL is tested with the rules of our kinds; controllers and providers with the embedded control plane and each other. */
const ALSO_IN_TESTS: Readonly<Record<string, readonly string[]>> = {
  cel: ['apis'],
  core: ['embedded', 'provider-kwok'],
  'provider-kwok': ['core', 'embedded'],
  'provider-aws': ['core', 'embedded', 'aws-emulator'],
  'aws-emulator': ['embedded', 'runtime'],
};

/**
 * The folders of a package from the lowest to the highest: a file imports from its own folder and from lower ones.
 * Files at the root of the package stand above all folders, except those that ROOT_FILES names.
 */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  kubernetes: ['values', 'selectors', 'schema', 'objects', 'kinds'],
  apis: ['schema', 'names', 'kinds', 'requirements', 'disruption', 'hash', 'extensions', 'validation', 'check'],
  scheduling: ['model', 'checks', 'topology', 'packing', 'cost', 'explanation'],
  'provider-aws': [
    'api',
    'options',
    'clients',
    'cluster',
    'node-class',
    'instance-profiles',
    'network',
    'reservations',
    'placement',
    'zonal-shift',
    'pricing',
    'instance-types',
    'offerings',
    'images',
    'user-data',
    'review',
    'batching',
    'instances',
    'launch',
    'interruption',
    'status',
    'validation',
    'controllers',
  ],
  core: [
    'options',
    'kinds',
    'writes',
    'state',
    'pods',
    'planning',
    'nodeclaim',
    'nodepool',
    'provisioning',
    'disruption',
    'offline',
    'node-termination',
    'node-health',
    'observability',
    'operator',
  ],
};

/** Files at the root of a package that every folder may import. They import no folder themselves. */
const ROOT_FILES: Readonly<Record<string, readonly string[]>> = {
  scheduling: ['snapshot.ts', 'plan.ts', 'failure.ts', 'progress.ts'],
};

export interface SourceFile {
  /** From the root of the repository, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** One line for each import that points up, or past the public face of another package. */
export function findLayerViolations(files: readonly SourceFile[]): readonly string[] {
  return files.flatMap(({ path, text }) =>
    importsOf(text).flatMap(({ specifier, line }) => {
      const problem = specifier.startsWith('.') ? relativeProblem(path, specifier) : packageProblem(path, specifier);
      return problem === undefined ? [] : [`${path}:${line}: ${problem}`];
    }),
  );
}

const IMPORT = /\b(?:from|import)\s*\(?\s*'([^']+)'/g;

function importsOf(text: string): readonly { readonly specifier: string; readonly line: number }[] {
  return [...text.matchAll(IMPORT)].map((match) => ({
    specifier: match[1]!,
    line: text.slice(0, match.index).split('\n').length,
  }));
}

function packageProblem(path: string, specifier: string): string | undefined {
  const from = packageOf(path);
  const [scope, to, entry] = specifier.split('/');
  if (from === undefined || scope !== '@karpenter-ts' || to === undefined || to === from) return undefined;
  if (isTestFile(path) && ALSO_IN_TESTS[from]?.includes(to)) return undefined;
  const allowed = PACKAGES[from];
  if (allowed === undefined) return `tools/layers.ts has no row for the package ${from}`;
  if (!allowed.includes(to)) return `${from} must not import ${to}; it may import ${list(allowed)}`;
  if (entry === 'testing' && !isTestFile(path)) return `${specifier} is for tests; no source may import it`;
  return undefined;
}

function relativeProblem(path: string, specifier: string): string | undefined {
  const target = posix.join(posix.dirname(path), specifier);
  const from = packageOf(path);
  const to = packageOf(target);
  if (to !== undefined && to !== from) return `import ${to} by its name, not by the path ${specifier}`;
  if (from === undefined || isTestFile(path)) return undefined;
  const order = FOLDERS[from];
  return order && folderProblem({ order, shared: ROOT_FILES[from] ?? [] }, path, target);
}

interface FolderOrder {
  readonly order: readonly string[];
  readonly shared: readonly string[];
}

function folderProblem({ order, shared }: FolderOrder, path: string, target: string): string | undefined {
  const [from, to] = [placeInPackage(path), placeInPackage(target)];
  if (from === to || shared.includes(to)) return undefined;
  if (shared.includes(from)) return `${from} must not import from ${to}, because every folder may import ${from}`;
  const unknown = [from, to].find((place) => !place.endsWith('.ts') && !order.includes(place));
  if (unknown !== undefined) return `tools/layers.ts has no place for the folder ${unknown}`;
  if (height(order, to) <= height(order, from)) return undefined;
  return `the folder ${from} must not import from ${to}, which stands above it`;
}

/** Files at the root of a package stand above its folders. */
function height(order: readonly string[], place: string): number {
  const at = order.indexOf(place);
  return at === -1 ? order.length : at;
}

/** The first part of the path below a package's src: a folder, or a file at its root. */
function placeInPackage(path: string): string {
  return path.split('/')[3]!;
}

function packageOf(path: string): string | undefined {
  const [folder, name, src] = path.split('/');
  return folder === 'packages' && src === 'src' ? name : undefined;
}

/** Tests, and the folders of fixtures, may look at everything in their package. */
function isTestFile(path: string): boolean {
  return /\.(test|long)\.ts$/.test(path) || path.split('/').includes('testing');
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'nothing of ours' : names.join(', ');
}
