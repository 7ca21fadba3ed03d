// Faults that suites inject into a lab: a service is killed, paused or restarted; a token is replaced.
import { buildComponent } from './build.ts';
import { type ServiceName, tokenFilePath } from './control-plane.ts';
import { createTokens, renderTokenFile, type Role } from './credentials.ts';
import type { Lab } from './lab.ts';
import { getLabState, writeLabState } from './lab-state.ts';
import { isRunning, killProcess } from './processes.ts';
import { startService, writeKubeconfig } from './startup.ts';
import { writeWholeFile } from './whole-file.ts';

/** Kills a service with SIGKILL: nothing is flushed, and connections break. */
export async function killService(lab: Lab, service: ServiceName): Promise<void> {
  const record = getLabState(lab.name).services.find(({ name }) => name === service);
  if (record) await killProcess(record.process);
}

/**
 * Pauses a service (SIGSTOP): connections to it stay open, but are not answered. The returned function continues it.
 */
export function pauseService(lab: Lab, service: ServiceName): () => void {
  const { process: paused } = getLabState(lab.name).services.find(({ name }) => name === service)!;
  process.kill(paused.pid, 'SIGSTOP');
  return () => void (isRunning(paused) && process.kill(paused.pid, 'SIGCONT'));
}

/** Starts a killed service again with the same data, ports and certificates; ready when it returns. */
export async function reviveService(lab: Lab, service: ServiceName): Promise<void> {
  const { path, version } = await buildComponent(service);
  const { site } = getLabState(lab.name);
  await startService({
    name: service,
    path,
    site,
    record: (process) => {
      const state = getLabState(lab.name);
      const others = state.services.filter(({ name }) => name !== service);
      writeLabState({ ...state, services: [...others, { name: service, version, process }] });
    },
  });
}

/**
 * Replaces the token of a role and returns the new one. The API server knows it only after it was restarted with
 * `reviveService`.
 */
export function rotateToken(lab: Lab, role: Role): string {
  const state = getLabState(lab.name);
  const tokens = { ...state.site.tokens, [role]: createTokens()[role] };
  const site = { ...state.site, tokens };
  writeLabState({ ...state, site });
  writeWholeFile(tokenFilePath(site), renderTokenFile(tokens));
  writeKubeconfig(site);
  return tokens[role];
}
