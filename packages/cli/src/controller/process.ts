import { readFile } from 'node:fs/promises';
import type { ProviderModule } from '@karpenter-ts/cloudprovider';
import { createOperator, operatorOptions, refuseUnbuiltSettings } from '@karpenter-ts/core';
import {
  Client,
  type Connection,
  ConnectionConfigError,
  createLogger,
  findConnection,
  HttpsTransport,
  isUnauthorized,
  listenForStop,
  type Logger,
  type Manager,
  Metrics,
  openSinks,
  type OptionGroup,
  type OptionRows,
  type ParsedGroups,
  parseOptions,
  type Pem,
  type ProcessEvents,
  realClock,
  runToExit,
  SECOND,
  type Transport,
  unlessAborted,
  userAgent,
  withCommit,
} from '@karpenter-ts/runtime';
import type { Io } from '../io.ts';
import { version } from '../version.ts';
import { DEFAULT_PROVIDER, PROVIDERS, processOptions } from './providers.ts';

const USAGE_ERROR = 2;

const OWN_GROUPS = {
  process: { rows: processOptions },
  operator: { rows: operatorOptions, check: refuseUnbuiltSettings },
};

/** The settings of all providers: they are read whichever one is chosen. */
type ProviderGroups = Readonly<Record<`provider ${string}`, OptionGroup<OptionRows>>>;
const PROVIDER_GROUPS: ProviderGroups = Object.fromEntries(
  PROVIDERS.map(({ name, options }) => [`provider ${name}`, { rows: options }]),
);

const GROUPS: typeof OWN_GROUPS & ProviderGroups = { ...OWN_GROUPS, ...PROVIDER_GROUPS };

/**
 * Runs the controller until a signal or a failure ends it: the whole life of the process in a container. Settings come
 * from upstream's flags and variables, and our own. Resolves with the exit code, with which the caller must really exit.
 */
export async function runController(
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
  io: Io,
  source: ProcessEvents,
): Promise<number> {
  const parsed = parseOptions(GROUPS, argv, env);
  if (parsed.kind === 'help') {
    io.stdout.write(parsed.usage);
    return parsed.exitCode;
  }
  if (parsed.kind === 'refused') {
    io.stderr.write(`karpenter: ${parsed.problem}\n${parsed.usage ?? ''}`);
    return parsed.exitCode;
  }
  const { operator } = parsed.options;
  const module = chosenModule(parsed.options);
  const problems = module.check?.(parsed.options[`provider ${module.name}`]!) ?? [];
  if (problems.length > 0) {
    io.stderr.write(`karpenter: validating options, ${problems.join('; ')}\n`);
    return USAGE_ERROR;
  }
  const metrics = new Metrics(realClock);
  const { stdout, stderr } = process;
  const sinks = openSinks({
    paths: operator.logOutputPaths,
    errorPaths: operator.logErrorOutputPaths,
    stdout,
    stderr,
    clock: realClock,
  });
  const logger = createLogger({
    level: operator.logLevel,
    clock: realClock,
    write: sinks.write,
    format: 'json',
    metrics,
  });
  for (const warning of parsed.warnings) logger.info(warning);
  try {
    return await run(parsed.options, { env, logger, metrics, source });
  } catch (error) {
    logger.error('failed to start', error);
    return 1;
  } finally {
    sinks.close();
  }
}

function chosenModule({ process: chosen }: ParsedGroups<typeof GROUPS>): ProviderModule {
  return PROVIDERS.find(({ name }) => name === chosen.provider) ?? DEFAULT_PROVIDER;
}

interface ProcessParts {
  readonly env: NodeJS.ProcessEnv;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly source: ProcessEvents;
}

async function run(
  parsed: ParsedGroups<typeof GROUPS>,
  { env, logger, metrics, source }: ProcessParts,
): Promise<number> {
  const { operator } = parsed;
  const module = chosenModule(parsed);
  const commit = env['KARPENTER_COMMIT'];
  const ours = withCommit(logger, commit);
  const connection = await connect(env);
  const transport = new HttpsTransport({ connection, clock: realClock, logger: ours, env });
  ours.debug('discovered karpenter version', { version: version() });
  const stop = listenForStop(source); // else the first process of a container, which has no default, would not hear of it
  const start = async (): Promise<Manager> => {
    await checkServer(connection, transport);
    const { manager } = await createOperator({
      options: operator,
      provider: module.configure(parsed[`provider ${module.name}`]!, {
        env,
        version: version(),
        readClusterCa: () => readPem(connection.ca),
      }),
      transport,
      clock: realClock,
      logger: ours,
      metrics,
      build: { version: version(), commit: commit ?? '' },
      serves: true,
      starting: stop.signal,
    });
    return manager;
  };
  try {
    const manager = await unlessAborted(start(), stop.signal);
    stop.dispose();
    return await runToExit(manager, ours, source);
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    ours.info('stopped before the start was over');
    return 0;
  } finally {
    stop.dispose();
    transport.close();
  }
}

async function readPem(pem: Pem | undefined): Promise<string | undefined> {
  if (pem === undefined) return undefined;
  return 'data' in pem ? pem.data : readFile(pem.file, 'utf8');
}

async function connect(env: NodeJS.ProcessEnv): Promise<Connection> {
  try {
    return await findConnection({ env });
  } catch (error) {
    if (!(error instanceof ConnectionConfigError) || !env['KUBECONFIG']) throw error;
    throw new Error(`${error.message} (KUBECONFIG is ${env['KUBECONFIG']})`, { cause: error });
  }
}

/** As long as client-go waits when it asks what a server has. */
const DISCOVERY_TIMEOUT = 32 * SECOND;

/**
 * Asks the server for its version. One that is not there, or does not know us, ends the process with one line, as it
 * ends upstream's with a panic: whoever runs it will start it again. Everything that comes later is waited for.
 */
async function checkServer({ server }: Connection, transport: Transport): Promise<void> {
  const client = new Client({ transport, clock: realClock, userAgent: userAgent(version()) });
  try {
    await client.read('/version', {}, AbortSignal.timeout(DISCOVERY_TIMEOUT)); // tries that the server asks for included
  } catch (error) {
    if (isTimeout(error))
      throw new Error(`${server}: no answer within ${DISCOVERY_TIMEOUT / SECOND}s`, { cause: error });
    if (isUnauthorized(error))
      throw new Error(`${server} does not accept our credentials: ${error.message}`, { cause: error });
    throw new Error(`${server}: ${(error as Error).message}`, { cause: error });
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
