import { parseCommandLine, UsageError, usageOf } from '../../tools/command-line.ts';
import { buildComponent, formatDuration } from './build.ts';
import { cacheFolder } from './cache.ts';
import { COMPONENT_NAMES, getComponentNames } from './components.ts';
import { SERVICE_NAMES, type ServiceName } from './control-plane.ts';
import { interruptSignal } from './interrupt.ts';
import { findLabStatus, openLab, type ServiceStatus, startLab, stopLab } from './lab.ts';
import { LabError } from './lab-error.ts';
import { listLabs } from './lab-state.ts';

const USAGE = `A real Kubernetes control plane on this machine, for tests.

  npm run lab -- build [component…]                compile what is not in the cache: ${COMPONENT_NAMES.join(', ')}
  npm run lab -- up [--name lab] [--only a,b]      build what is missing, start it, leave it running
  npm run lab -- status [--name lab]               what runs; exit code 1 unless all of it does
  npm run lab -- down [--name lab | --all]         stop it and remove its data

The lab is called "default" unless named. Everything is kept in ${cacheFolder()}.
`;

interface Input {
  readonly name: string;
  readonly only: string | undefined;
  readonly all: boolean;
  readonly operands: readonly string[];
  readonly signal: AbortSignal;
}

type ExitCode = 0 | 1;

const COMMANDS: Readonly<Record<string, (input: Input) => Promise<ExitCode>>> = {
  build: async ({ operands, signal }) => {
    const names = operands.length === 0 ? COMPONENT_NAMES : getComponentNames(operands);
    for (const name of names) {
      const { version, cached } = await buildComponent(name, { onProgress, signal });
      if (cached) onProgress(`${name} ${version}: in the cache`);
    }
    return 0;
  },

  up: async ({ name, only, signal }) => {
    if (findLabStatus(name)?.state === 'up') onProgress(`lab "${name}" is up`);
    else await start(name, only, signal);
    process.stdout.write(`export KUBECONFIG='${openLab(name).kubeconfigPath}'\n`);
    return 0;
  },

  status: async ({ name }) => {
    const { state = 'down', services = [] } = findLabStatus(name) ?? {};
    process.stdout.write(`lab "${name}" is ${state}\n${services.length === 0 ? '' : renderServices(services)}`);
    return state === 'up' ? 0 : 1;
  },

  down: async ({ name, all }) => {
    for (const lab of all ? listLabs() : [name]) {
      await stopLab(lab);
      onProgress(`lab "${lab}" is down`);
    }
    return 0;
  },
};

async function start(name: string, only: string | undefined, signal: AbortSignal): Promise<void> {
  const started = Date.now();
  const components = only === undefined ? SERVICE_NAMES : parseServices(only);
  await startLab({ name, components, lifetime: 'until-stopped', onProgress }, signal);
  onProgress(`lab "${name}" is up in ${formatDuration(Date.now() - started)}`);
}

function parseServices(list: string): readonly ServiceName[] {
  const isService = (name: string): name is ServiceName => SERVICE_NAMES.some((service) => service === name);
  const names = list.split(',');
  if (names.every(isService)) return names;
  throw new UsageError(`--only takes a list of ${SERVICE_NAMES.join(', ')}`);
}

function renderServices(services: readonly ServiceStatus[]): string {
  const table = [['COMPONENT', 'STATE', 'PID', 'PORT', 'VERSION']];
  for (const { name, running, pid, port, version } of services) {
    table.push([name, running ? 'running' : 'stopped', `${pid}`, `${port}`, version]);
  }
  const width = (column: number) => Math.max(...table.map((row) => row[column]?.length ?? 0));
  const renderRow = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(width(column))).join('  ');
  return table.map((row) => `${renderRow(row).trimEnd()}\n`).join('');
}

/** Progress goes to standard error: standard output can be evaluated by a shell or read by a program. */
function onProgress(line: string): void {
  process.stderr.write(`${line}\n`);
}

function parse(argv: readonly string[], signal: AbortSignal): () => Promise<ExitCode> {
  const options = { name: { type: 'string' }, only: { type: 'string' }, all: { type: 'boolean' } } as const;
  const { values, positionals } = parseCommandLine({ args: [...argv], options, allowPositionals: true });
  const [command = '', ...operands] = positionals;
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) throw new UsageError(command === '' ? 'which command?' : `no such command: ${command}`);
  if (operands.length > 0 && command !== 'build') throw new UsageError(`${command} takes no ${operands[0]}`);
  const { name = 'default', only, all = false } = values;
  return () => run({ name, only, all, operands, signal });
}

async function main(argv: readonly string[]): Promise<number> {
  const interrupt = interruptSignal();
  try {
    return await parse(argv, interrupt)();
  } catch (error) {
    if (interrupt.aborted) return 130;
    if (error instanceof LabError) onProgress(`lab: ${error.message}`);
    else if (error instanceof UsageError) onProgress(usageOf('lab', error, USAGE));
    else throw error;
    return error instanceof LabError ? 1 : 2;
  }
}

process.exitCode = await main(process.argv.slice(2));
