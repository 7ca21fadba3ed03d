import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ReadObject, readObjects, type Scenario } from '@karpenter-ts/apis/manifests';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { type Io, MANIFEST_LIMIT, readFile } from '../io.ts';
import { renderText } from '../render/check.ts';

/** Those that come with us; they can be called by name. */
const SHIPPED = fileURLToPath(new URL('../../../../samples/scenarios', import.meta.url));
const EXTENSION = '.yaml';

/** What a file says shall happen. Everything in it is valid, as far as can be said without a cluster. */
export interface ScenarioFile {
  readonly name: string;
  /** NodePools and whatever else goes with them, as an API server takes them. */
  readonly objects: readonly ApiObject[];
  readonly spec: Scenario['spec'];
  /** `file:line` of a workload, for what the cluster finds wrong with it. */
  placeOf(workload: string): string;
}

/** Reads a scenario by its path, or one of ours by its name. Throws, in words for the user, all that is wrong with it. */
export async function loadScenario(pathOrName: string, io: Io): Promise<ScenarioFile> {
  const file = await readFile(io, findPath(pathOrName), MANIFEST_LIMIT);
  const read = readObjects(file, { provider: 'kwok' });
  const bad = read.map(({ checked }) => checked).filter(({ valid }) => !valid);
  if (bad.length > 0) throw new Error(`the scenario cannot be played:\n${renderText(bad).trimEnd()}`);
  const scenarios = read.filter(({ checked }) => checked.kind === 'Scenario');
  const pools = read.filter(({ checked }) => checked.kind === 'NodePool');
  const [scenario] = scenarios;
  if (scenario === undefined || scenarios.length > 1) {
    throw new Error(`${file.name} holds ${scenarios.length} objects of kind Scenario instead of one`);
  }
  if (pools.length === 0) throw new Error(`${file.name} holds no NodePool: there would never be a node`);
  const { spec } = scenario.object as unknown as Scenario;
  for (const { edit } of spec.steps) {
    if (edit === undefined || pools.some(({ checked }) => checked.name === edit.nodePool)) continue;
    throw new Error(`${file.name} holds no NodePool "${edit.nodePool}", and a step changes it`);
  }
  return {
    name: scenario.checked.name,
    // Objects that passed their schemas are of the types that come from those.
    objects: read.filter((one) => one !== scenario).map(({ object }) => object as unknown as ApiObject),
    spec,
    placeOf: (workload) => `${file.name}:${lineOf(workload, scenario)}`,
  };
}

function findPath(pathOrName: string): string {
  if (pathOrName === '-' || existsSync(pathOrName) || basename(pathOrName) !== pathOrName) return pathOrName;
  const shipped = join(SHIPPED, `${pathOrName}${EXTENSION}`);
  if (existsSync(shipped)) return shipped;
  const names = readdirSync(SHIPPED).map((name) => basename(name, EXTENSION));
  throw new Error(`there is no file ${pathOrName}, and no scenario of that name; there are ${names.join(', ')}`);
}

function lineOf(workload: string, { object, locate }: ReadObject): number {
  const { spec } = object as unknown as Scenario;
  const index = spec.workloads.findIndex(({ name }) => name === workload);
  return locate?.(['spec', 'workloads', index, 'podSpec']).line ?? 1;
}
