import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Cluster } from '@karpenter-ts/embedded';
import {
  createLogger,
  type Level,
  type Logger,
  listenForStop,
  realClock,
  type SignalSource,
  type SteadyClock,
  scaledClock,
} from '@karpenter-ts/runtime';
import type { Io } from '../io.ts';
import { ProgressLines } from '../render/progress.ts';
import { renderIntroduction } from '../render/up.ts';
import type { Stage } from '../scenario/playback.ts';
import type { ScenarioFile } from '../scenario/scenario-file.ts';
import { type Cloud, type ProviderName, startCloud } from './cloud.ts';
import { startServedCluster } from './cluster-start.ts';
import type { ControllerDeps } from './controller.ts';
import { watchProgress } from './progress.ts';
import { withoutEchoes } from './signal-echoes.ts';

/** What the command line says. */
export interface UpSettings {
  /** 0 is any free one. */
  readonly port: number;
  /** To begin with; some of our choice unless told. */
  readonly nodes?: number;
  /** A file of its own unless told; it must not exist. */
  readonly kubeconfig?: string;
  /** Where its nodes come from; what the scenario is for unless told, else KWOK. */
  readonly provider?: ProviderName;
  /** The port on 127.0.0.1 where AWS is served; 0 is any free one. */
  readonly awsEndpoint?: number;
  /** Whether Karpenter runs in it. */
  readonly controller: boolean;
  /** Whether something is to happen by itself. */
  readonly samples: boolean;
  /** Path or name of what happens; the first of ours unless told. */
  readonly scenario?: string;
  /** How many pods to begin with; as many as the scenario says unless told. */
  readonly pods?: number;
  /** How many times as fast as the wall clock. */
  readonly speed: number;
  readonly logLevel: Level;
}

const DEFAULT_SCENARIOS: Readonly<Record<ProviderName, string>> = { kwok: 'scale-out', aws: 'aws-scale-out' };
/** Somebody must be there to run pods, if Karpenter is not. */
const NODES_WITHOUT_CONTROLLER = 3;

/** Runs a cluster until a signal, the end of its output or a failure ends it. Throws, in words for the user, what keeps it from running. */
export async function runCluster(settings: UpSettings, io: Io, signals: SignalSource): Promise<void> {
  const named = kubeconfigPathOf(settings);
  const file = await loadScenario(settings, io);
  const provider = settings.provider ?? file?.provider ?? 'kwok';
  if (settings.awsEndpoint !== undefined && provider !== 'aws') {
    throw new Error('--aws-endpoint is for --provider aws');
  }
  const source = withoutEchoes(signals, realClock);
  const folder = named === undefined ? mkdtempSync(join(tmpdir(), 'karpenter-')) : undefined;
  const kubeconfigPath = named ?? join(folder ?? '', 'kubeconfig');
  let cluster: Cluster | undefined;
  const cleanUp = (): void => {
    cluster?.access?.removeKubeconfig();
    if (folder !== undefined) removeEmptyFolder(folder);
  };
  const exit = (code: number): void => {
    cleanUp(); // in a hurry, but the token should not stay
    source.exit(code);
  };
  const stop = listenForStop({
    on: (...listen) => source.on(...listen),
    off: (...listen) => source.off(...listen),
    exit,
  });
  try {
    const session = {
      settings,
      provider,
      file,
      kubeconfigPath,
      io,
      onStart: (started: Cluster) => (cluster = started),
    };
    await run(session, AbortSignal.any([stop.signal, io.unwritable]));
  } finally {
    stop.dispose();
    cleanUp();
  }
}

/** Throws, in words for the user, if there is something at the path that was named: it is not ours to remove. */
function kubeconfigPathOf({ kubeconfig }: UpSettings): string | undefined {
  if (kubeconfig === undefined) return undefined;
  const path = resolve(kubeconfig); // before it is looked for: `missing/../config` is `config`
  if (!existsSync(path)) return path;
  throw new Error(`${path} exists already, and would be gone at the end; name another file`);
}

/** Leaves the folder if the user has put something into it. */
function removeEmptyFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ENOTEMPTY' && code !== 'ENOENT') throw error;
  }
}

/** Before anything starts: what is wrong with it should be said first. */
async function loadScenario(settings: UpSettings, io: Io): Promise<ScenarioFile | undefined> {
  const { provider, pods } = settings;
  const byDefault = settings.samples && settings.controller ? DEFAULT_SCENARIOS[provider ?? 'kwok'] : undefined;
  const { scenario = byDefault } = settings;
  if (scenario === undefined) return undefined;
  const { loadScenario: load } = await import('../scenario/scenario-file.ts');
  const file = await load(scenario, io, provider);
  if (pods === undefined) return file;
  const { withPodCount } = await import('../scenario/pod-count.ts');
  return { ...file, spec: withPodCount(file.spec, pods) };
}

interface Session {
  readonly settings: UpSettings;
  readonly provider: ProviderName;
  readonly file: ScenarioFile | undefined;
  readonly kubeconfigPath: string;
  readonly io: Io;
  /** Called as soon as there is a cluster. */
  onStart(cluster: Cluster): void;
}

async function run(session: Session, stop: AbortSignal): Promise<void> {
  const { settings, provider, io } = session;
  const { controller: hasController, speed, logLevel: level } = settings;
  const clock = speed === 1 ? realClock : scaledClock(realClock, speed);
  const write = (line: string): void => void io.stderr.write(line);
  const logger = createLogger({ level, clock, write, format: 'console', hasColors: io.hasColors });
  // Without the controller there is no use for AWS but by way of the network.
  const awsPort = settings.awsEndpoint ?? (hasController ? undefined : 0);
  const cloud = await startCloud({ provider, clock, awsPort });
  try {
    await runIn(cloud, { session, clock, logger }, stop);
  } finally {
    await cloud.stop();
  }
}

type CloudParts = Omit<SessionParts, 'cloud'>;

async function runIn(cloud: Cloud, { session, clock, logger }: CloudParts, stop: AbortSignal): Promise<void> {
  const { settings, provider, file, kubeconfigPath, io } = session;
  const { controller: hasController, port } = settings;
  const nodes = settings.nodes ?? (hasController ? 0 : NODES_WITHOUT_CONTROLLER);
  const cluster = await startServedCluster({ port, provider, kubeconfigPath, nodes, clock, logger });
  session.onStart(cluster);
  try {
    cloud.adopt(cluster);
    const { access } = cluster;
    const { account } = cloud;
    io.stdout.write(renderIntroduction({ access: access!, nodes, hasController, account, scenario: file?.name }));
    await runOn(cluster, { session, cloud, clock, logger }, stop);
  } finally {
    await cluster.stop();
  }
}

interface SessionParts {
  readonly session: Session;
  readonly cloud: Cloud;
  readonly clock: SteadyClock;
  readonly logger: Logger;
}

/** Runs what lives on the cluster until `stop`, or until something fails. */
async function runOn(cluster: Cluster, given: SessionParts, stop: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const parts = startParts(cluster, given, ending.signal);
  try {
    await Promise.race([aborted(stop), cluster.stopped, ...parts]);
    const { io } = given.session;
    if (stop.aborted && !io.unwritable.aborted) io.stderr.write('stopping\n');
  } finally {
    ending.abort();
    await Promise.allSettled(parts);
  }
  await Promise.all(parts); // one may have failed to stop
}

/** Each part goes on until the signal, or fails. */
function startParts(cluster: Cluster, parts: SessionParts, signal: AbortSignal): Promise<void>[] {
  const { session, cloud, clock, logger } = parts;
  const { settings, file, io } = session;
  const { client, faults } = cluster;
  const begun = clock.elapsed();
  const lines = new ProgressLines(
    (line) => io.stdout.write(line),
    () => clock.elapsed() - begun,
    io.hasColors,
  );
  const stage: Stage = { client, faults, clock, account: cloud.account, tell: (text) => lines.tell(text) };
  const show = lines.show.bind(lines);
  return [
    watchProgress({ client, clock, wallClock: realClock, logger, priceOf: cloud.priceOf, show }, signal),
    ...(settings.controller ? [runController({ cluster, cloud, clock, logger }, signal)] : []),
    ...(file ? [playScenario(file, stage, signal)] : []),
  ];
}

async function runController(deps: ControllerDeps, signal: AbortSignal): Promise<void> {
  const { createController } = await import('./controller.ts');
  await (await createController(deps)).start(signal);
}

async function playScenario(file: ScenarioFile, stage: Stage, signal: AbortSignal): Promise<void> {
  const { play } = await import('../scenario/playback.ts');
  await play(file, stage, signal);
  await aborted(signal);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    else signal.addEventListener('abort', () => done(), { once: true });
  });
}
