import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Binary, formatDuration } from './build.ts';
import {
  isFoundation,
  kubeconfigPath,
  SERVICES,
  type ServiceName,
  type ControlPlaneConfig,
  serverCertificatePath,
  serverUrl,
  serviceAccountKeyPath,
  tokenFilePath,
} from './control-plane.ts';
import { createServiceAccountKey, renderKubeconfig, renderTokenFile } from './credentials.ts';
import { LabError } from './lab-error.ts';
import { type LabState, writeLabState } from './lab-state.ts';
import { logTail } from './log-tail.ts';
import { type ProcessIdentity, startProgram } from './processes.ts';
import { waitUntilReady } from './readiness.ts';
import { writeWholeFile } from './whole-file.ts';

const READY_WITHIN_MS = 180_000;

/** A control plane to be started. */
interface Startup {
  /** What is known before anything runs; it has no services yet. */
  readonly state: LabState;
  readonly services: readonly Binary<ServiceName>[];
  readonly onProgress?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Starts the services in order and returns the state with all of them once they are ready. Each is in the written
 * state before it runs. On failure it throws and leaves stopping the others to the caller.
 */
export async function startServices({ state, services, onProgress, signal }: Startup): Promise<LabState> {
  const { site } = state;
  let current = state;
  const start = async ({ name, version, path }: Binary<ServiceName>): Promise<void> => {
    const started = Date.now();
    const record = (process: ProcessIdentity): void => {
      current = { ...current, services: [...current.services, { name, version, process }] };
      writeLabState(current);
    };
    await startService({ name, path, site, record }, signal);
    onProgress?.(`${name}: ready in ${formatDuration(Date.now() - started)}`);
  };

  writeLabState(state);
  writeWholeFile(tokenFilePath(site), renderTokenFile(site.tokens));
  writeWholeFile(serviceAccountKeyPath(site), createServiceAccountKey());
  for (const service of services.filter(({ name }) => isFoundation(name))) await start(service);
  writeKubeconfig(site);
  await Promise.all(services.filter(({ name }) => !isFoundation(name)).map(start));
  return current;
}

interface ServiceStart {
  readonly name: ServiceName;
  readonly path: string;
  readonly site: ControlPlaneConfig;
  readonly record: (process: ProcessIdentity) => void;
}

/** Starts one service and waits until it is ready; a LabError with the end of its log says why it is not. */
export async function startService({ name, path, site, record }: ServiceStart, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  const logPath = join(site.folder, `${name}.log`);
  // A home and an environment of its own: the user's ETCD_* and KWOK_* variables and ~/.kwok are not for this lab.
  const env = { PATH: process.env.PATH, HOME: site.folder };
  const program = startProgram({ path, args: SERVICES[name].args(site), folder: site.folder, env, logPath, record });
  program.leave();

  const polling = new AbortController();
  const deadline = AbortSignal.timeout(READY_WITHIN_MS);
  const until = AbortSignal.any([polling.signal, deadline, ...(signal === undefined ? [] : [signal])]);
  try {
    const exit = await Promise.race([waitUntilReady(SERVICES[name].probes(site), until), program.exited]);
    if (exit !== undefined) throw new LabError(`${name} ${exit.how}; its log ends with\n${logTail(logPath)}`);
  } catch (error) {
    if (!deadline.aborted || error !== deadline.reason) throw error;
    throw new LabError(
      `${name} was not ready after ${READY_WITHIN_MS / 1000} s; its log ends with\n${logTail(logPath)}`,
    );
  } finally {
    polling.abort();
  }
}

/** Writes the kubeconfig, with the tokens of the site and the server's own certificate. */
export function writeKubeconfig(site: ControlPlaneConfig): void {
  const caData = readFileSync(serverCertificatePath(site), 'utf8');
  writeWholeFile(kubeconfigPath(site), renderKubeconfig({ server: serverUrl(site), caData, tokens: site.tokens }));
}
