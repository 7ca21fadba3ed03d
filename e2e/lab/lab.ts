import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, buildComponent } from './build.ts';
import { cacheFolder } from './cache.ts';
import {
  FOUNDATION,
  isFoundation,
  kubeconfigPath,
  SERVICE_NAMES,
  type ServiceName,
  serverCertificatePath,
  serverUrl,
} from './control-plane.ts';
import { createTokens, type Tokens } from './credentials.ts';
import { runKubectl } from './kubectl.ts';
import { LabError } from './lab-error.ts';
import {
  createLabFolder,
  findLabState,
  type LabState,
  labFolder,
  listLabs,
  removeLabFolder,
  writeLabState,
} from './lab-state.ts';
import { withLock } from './lock.ts';
import { findFreePorts } from './ports.ts';
import { identify, isRunning, stopProcess } from './processes.ts';
import { startServices } from './startup.ts';

const GRACE_MS = 10_000;

/** A running control plane. */
export interface Lab {
  readonly name: string;
  readonly kubeconfigPath: string;
  /** The API server's address, https. */
  readonly server: string;
  /** The certificate that the server is verified by, PEM. */
  readonly caData: string;
  readonly adminToken: string;
  readonly tokens: Tokens;
  /** Runs the lab's kubectl as admin and returns what it printed; throws a KubectlError if it fails. */
  kubectl(args: readonly string[], options?: { readonly input?: string }): Promise<string>;
  /** Ends every process of the lab and removes its folder. May be called again. */
  stop(): Promise<void>;
}

/** What to start. */
export interface LabOptions {
  readonly name: string;
  /** Default all. etcd and kube-apiserver are always part of it. */
  readonly components?: readonly ServiceName[];
  /** How long the lab lives at most: default `process`, as long as the process that starts it. */
  readonly lifetime?: 'process' | 'until-stopped';
  readonly onProgress?: (line: string) => void;
}

/** What there is of a lab. */
export interface LabStatus {
  /** `abandoned`: whoever started it was killed, and the next start of any lab stops it. */
  readonly state: 'starting' | 'up' | 'degraded' | 'abandoned';
  readonly services: readonly ServiceStatus[];
}

/** One component of a lab, as it is now. */
export interface ServiceStatus {
  readonly name: ServiceName;
  readonly version: string;
  readonly running: boolean;
  readonly pid: number;
  readonly port: number;
}

/**
 * Builds what is missing and starts a control plane; ready when it returns. First it stops the labs whose owners were
 * killed. Throws a LabError, with the end of the log if a component failed, and then leaves nothing running.
 */
export async function startLab(options: LabOptions, signal?: AbortSignal): Promise<Lab> {
  const { name, components = SERVICE_NAMES, lifetime = 'process', onProgress } = options;
  labFolder(name); // a bad name is found before minutes of building
  await stopAbandonedLabs();
  const services: Binary<ServiceName>[] = [];
  for (const service of SERVICE_NAMES) {
    if (!isFoundation(service) && !components.includes(service)) continue;
    services.push(await buildComponent(service, { onProgress, signal })); // one by one: the compiler uses all cores
  }
  const kubectl = await buildComponent('kubectl', { onProgress, signal });
  return withLabLock(
    name,
    async () => {
      await clearRemains(name);
      try {
        const initial = await createState(name, kubectl.path);
        const { owner, ...started } = await startServices({ state: initial, services, onProgress, signal });
        const state = { ...started, phase: 'ready', ...(lifetime === 'process' && { owner }) } as const;
        writeLabState(state);
        return labOf(state);
      } catch (error) {
        await stopNow(name);
        throw error;
      }
    },
    signal,
  );
}

/** The lab of this name, by default the one a suite is run against; throws when there is none. */
export function openLab(name = process.env.KARPENTER_LAB_NAME ?? 'default'): Lab {
  const state = findLabState(name);
  if (state === undefined) throw new LabError(`there is no lab "${name}": npm run lab -- up --name ${name} starts it`);
  return labOf(state);
}

/** Stops a lab, whatever is left of it and whoever started it. Does nothing if there is none. */
export async function stopLab(name: string): Promise<void> {
  labFolder(name);
  await withLabLock(name, () => stopNow(name));
}

/** What the lab consists of and what of it really runs; undefined when there is no such lab. */
export function findLabStatus(name: string): LabStatus | undefined {
  const lab = findLabState(name);
  if (lab === undefined) return undefined;
  const services = lab.services.map(({ name: service, version, process }) => {
    return { name: service, version, running: isRunning(process), pid: process.pid, port: lab.site.ports[service] };
  });
  if (isAbandoned(lab)) return { state: 'abandoned', services };
  if (lab.phase === 'starting') return { state: 'starting', services };
  return { state: services.every((service) => service.running) ? 'up' : 'degraded', services };
}

async function stopAbandonedLabs(): Promise<void> {
  for (const name of listLabs()) {
    if (!isAbandoned(findLabState(name))) continue;
    await withLabLock(name, async () => {
      if (isAbandoned(findLabState(name))) await stopNow(name); // it may have been started anew before we had the lock
    });
  }
}

function isAbandoned(lab: LabState | undefined): boolean {
  return lab?.owner !== undefined && !isRunning(lab.owner);
}

async function clearRemains(name: string): Promise<void> {
  const previous = findLabStatus(name);
  const isDead = previous?.state === 'abandoned' || !previous?.services.some((service) => service.running);
  if (!isDead) throw new LabError(`the lab "${name}" runs already: npm run lab -- down --name ${name} stops it`);
  await stopNow(name);
}

async function createState(name: string, kubectlPath: string): Promise<LabState> {
  const owner = identify(process.pid);
  if (owner === undefined) throw new Error('cannot tell when this process started');
  const ports = await findFreePorts(SERVICE_NAMES.length);
  const site = {
    folder: createLabFolder(name),
    ports: Object.fromEntries(SERVICE_NAMES.map((s, i) => [s, ports[i]])) as Record<ServiceName, number>,
    tokens: createTokens(),
  };
  return { name, phase: 'starting', site, kubectlPath, services: [], owner };
}

/** Clients first, then the foundation from the top: each can finish what it is doing. */
async function stopNow(name: string): Promise<void> {
  const services = findLabState(name)?.services ?? [];
  const clients = services.filter((service) => !isFoundation(service.name));
  await Promise.all(clients.map(({ process }) => stopProcess(process, GRACE_MS)));
  for (const part of FOUNDATION.toReversed()) {
    const service = services.find((candidate) => candidate.name === part);
    if (service !== undefined) await stopProcess(service.process, GRACE_MS);
  }
  removeLabFolder(name);
}

function withLabLock<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  return withLock(join(cacheFolder(), 'locks', `lab-${name}`), work, { signal });
}

function labOf({ name, site, kubectlPath }: LabState): Lab {
  const kubectl = {
    path: kubectlPath,
    kubeconfigPath: kubeconfigPath(site),
    cacheFolder: join(site.folder, 'kubectl-cache'),
  };
  return {
    name,
    kubeconfigPath: kubeconfigPath(site),
    server: serverUrl(site),
    caData: readFileSync(serverCertificatePath(site), 'utf8'),
    adminToken: site.tokens.admin,
    tokens: site.tokens,
    kubectl: (args, options) => runKubectl(kubectl, args, options?.input),
    stop: () => stopLab(name),
  };
}
