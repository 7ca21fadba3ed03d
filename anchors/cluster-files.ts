import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { METHOD_NAMES } from '@karpenter-ts/core';
import { type ClusterDocument, readCluster, reportOnCluster, toOfflineObjects } from '@karpenter-ts/cli/cluster';

/** The clusters of this repository, as upstream decided about them. */
export const CLUSTER_FOLDER = join(import.meta.dirname, 'clusters');

const CLUSTER_FILE = /^(?<name>.+?)\.json(?:\.gz)?$/;

/** The names of the clusters in a folder. One without a result of upstream, or the reverse, is among them. */
export function clusterNames(folder: string): readonly string[] {
  const names = readdirSync(folder).flatMap((file) => CLUSTER_FILE.exec(file)?.groups?.['name'] ?? []);
  return [...new Set(names.map((name) => name.replace(/\.upstream$/, '')))].sort();
}

/** What upstream decided. */
export function readUpstream(folder: string, name: string): ClusterDocument {
  const file = `${name}.upstream`;
  const value: unknown = JSON.parse(readText(folder, file));
  for (const key of ['methods', 'budgets']) {
    const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, key);
    if (!isThere) throw new Error(`${file}.json has no ${key}: it is not a result of upstream`);
  }
  return value as ClusterDocument;
}

/** What we decide. */
export async function decideCluster(folder: string, name: string, untilStable: boolean): Promise<ClusterDocument> {
  const read = readCluster(readText(folder, name));
  if ('problems' in read) {
    const texts = read.problems.map(({ line, field, message }) => `line ${line}: ${field} ${message}`);
    throw new Error(`${name}.json is no cluster file: ${texts.join('; ')}`);
  }
  const request = { objects: toOfflineObjects(read.content), methods: METHOD_NAMES, untilStable };
  return reportOnCluster(request, new AbortController().signal);
}

function readText(folder: string, name: string): string {
  const files = readdirSync(folder);
  if (files.includes(`${name}.json`)) return readFileSync(join(folder, `${name}.json`), 'utf8');
  if (!files.includes(`${name}.json.gz`)) throw new Error(`there is no ${name}.json`);
  return gunzipSync(readFileSync(join(folder, `${name}.json.gz`))).toString();
}
