// Seven fleets, and how upstream 1.14.1 planned each with the controller's defaults.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { readFleet } from '../fleet-file.ts';
import type { PlanFile } from '../plan-file.ts';

const FOLDER = join(import.meta.dirname, '../../../../../bench/fleets');

export const RECORDED_FLEETS: readonly string[] = [
  'plain-300-101',
  'plain-300-102',
  'plain-2000-103',
  'mixed-500-201',
  'mixed-500-202',
  'mixed-2000-203',
  'mixed-2000-204',
];

/** One of the fleets, ready to be planned. */
export function loadFleet(name: string) {
  const result = readFleet(read(`${name}.json.gz`));
  if ('fleet' in result) return result.fleet;
  throw new Error(JSON.stringify(result.problems));
}

/** Upstream's own plan of one of them. */
export function loadUpstreamPlan(name: string): PlanFile {
  return JSON.parse(read(`${name}.upstream.json.gz`)) as PlanFile;
}

function read(file: string): string {
  return gunzipSync(readFileSync(join(FOLDER, file))).toString();
}
