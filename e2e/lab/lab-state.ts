import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache.ts';
import type { ServiceName, ControlPlaneConfig } from './control-plane.ts';
import { LabError } from './lab-error.ts';
import type { ProcessIdentity } from './processes.ts';
import { writeWholeFile } from './whole-file.ts';

interface ServiceRecord {
  readonly name: ServiceName;
  readonly version: string;
  readonly process: ProcessIdentity;
}

/** The recorded state of a lab, with which any later process can use it and stop it. */
export interface LabState {
  readonly name: string;
  readonly phase: 'starting' | 'ready';
  readonly site: ControlPlaneConfig;
  readonly kubectlPath: string;
  readonly services: readonly ServiceRecord[];
  /**
   * The owner of the lab. Without one it runs until it is stopped; with one it is abandoned when the owner is gone.
   * While a lab starts, the starting process owns it, so that an interrupted start leaves nothing unaccounted for.
   */
  readonly owner?: ProcessIdentity;
}

const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** The folder of a lab. A name that is no plain DNS label throws. */
export function labFolder(name: string): string {
  if (!NAME.test(name)) {
    throw new LabError(`"${name}" cannot name a lab: use lower-case letters, digits and "-"`);
  }
  return join(cacheFolder(), 'run', name);
}

/** The state of a lab, or undefined when there is none of this name. */
export function findLabState(name: string): LabState | undefined {
  const path = statePath(name);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as LabState) : undefined;
}

/** The state of a lab that must be there. */
export function getLabState(name: string): LabState {
  const state = findLabState(name);
  if (state === undefined) throw new LabError(`there is no lab "${name}"`);
  return state;
}

/** Replaces the state at once: a reader sees the old or the new one. */
export function writeLabState(state: LabState): void {
  writeWholeFile(statePath(state.name), JSON.stringify(state, undefined, 2));
}

/** Makes the folder of a lab, which nobody else can look into, and returns its path. */
export function createLabFolder(name: string): string {
  const folder = labFolder(name);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/** Removes the folder of a lab with all that is in it, if it is there. */
export function removeLabFolder(name: string): void {
  rmSync(labFolder(name), { recursive: true, force: true });
}

/** The names of all labs there is a folder of, sorted. */
export function listLabs(): readonly string[] {
  const folder = join(cacheFolder(), 'run');
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => NAME.test(name))
        .sort()
    : [];
}

const statePath = (name: string): string => join(labFolder(name), 'state.json');
