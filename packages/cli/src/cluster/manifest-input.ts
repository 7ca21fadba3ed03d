import type { OfflineObjects } from '@karpenter-ts/core';
import { realClock } from '@karpenter-ts/runtime';
import { timestamp } from '@karpenter-ts/kubernetes';
import { type Io, readManifests } from '../io.ts';
import { DOCUMENT_LIMIT, note, refuse } from '../plan/document-input.ts';
import { findCatalogue } from './catalogue-source.ts';
import { readManifestCluster } from './manifest-cluster.ts';
import { toOfflineObjects } from './offline-objects.ts';

/** Reads the cluster that manifests describe. `undefined` once it is said what is wrong with them. */
export async function loadManifests(
  io: Io,
  names: readonly string[],
  catalogueSource: string,
): Promise<OfflineObjects | undefined> {
  const found = findCatalogue(catalogueSource);
  if ('problem' in found) return refuse(io, [found.problem]);
  const files = await readManifests(io, names, DOCUMENT_LIMIT);
  const read = readManifestCluster(files, { now: timestamp(realClock.now()) });
  if ('problems' in read) return refuse(io, read.problems);
  note(io, read.notes);
  return { ...toOfflineObjects(read.content), catalogue: found.catalogue };
}
