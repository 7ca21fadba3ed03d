import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { METHOD_NAMES } from '@karpenter-ts/core';
import { type ClusterDocument, readCluster, reportOnCluster, toOfflineObjects } from '@karpenter-ts/cli/cluster';

/** The clusters of this repository, as upstream decided about them. */
export const CLUSTER_FOLDER = join(import.meta.dirname, 'clusters');

const CLUSTER_FILE = /^(?<name>.+?)\.json(?:\.gz)?$/;

/** The names of the clusters in a folder: those with a result of upstream beside them. */
export function clusterNames(folder: string): readonly string[] {
  const names = new Set(readdirSync(folder).flatMap((file) => CLUSTER_FILE.exec(file)?.groups?.['name'] ?? []));
  return [...names].filter((name) => names.has(`${name}.upstream`)).sort();
}

/** What upstream decided. */
export function readUpstream(folder: string, name: string): ClusterDocument {
  return JSON.parse(readText(folder, `${name}.upstream`)) as ClusterDocument;
}

/** What we decide. */
export async function decideCluster(folder: string, name: string, untilStable: boolean): Promise<ClusterDocument> {
  const read = readCluster(readText(folder, name));
  if ('problems' in read) throw new Error(`${name}: ${JSON.stringify(read.problems)}`);
  const request = { objects: toOfflineObjects(read.content), methods: METHOD_NAMES, untilStable };
  return reportOnCluster(request, new AbortController().signal);
}

function readText(folder: string, name: string): string {
  const files = readdirSync(folder);
  if (files.includes(`${name}.json`)) return readFileSync(join(folder, `${name}.json`), 'utf8');
  return gunzipSync(readFileSync(join(folder, `${name}.json.gz`))).toString();
}
