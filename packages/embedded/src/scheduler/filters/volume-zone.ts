import type { Labels } from '@karpenter-ts/kubernetes';
import { type Filter, NOTHING_TO_CHECK, rejection } from './filter.ts';

const ELSEWHERE = rejection('node(s) had no available volume zone', false);

/** Zone and region labels. Old names on volumes match new ones on nodes. */
const TODAY: ReadonlyMap<string, string> = new Map([
  ['failure-domain.beta.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['failure-domain.beta.kubernetes.io/region', 'topology.kubernetes.io/region'],
  ['topology.kubernetes.io/zone', 'topology.kubernetes.io/zone'],
  ['topology.kubernetes.io/region', 'topology.kubernetes.io/region'],
]);

interface Place {
  readonly key: string;
  readonly values: readonly string[];
}

/** A volume with zone labels is only usable in those zones. A node without zone labels accepts every volume. */
export const volumeZone: Filter = {
  name: 'VolumeZone',
  scope: 'cluster',
  helpedBy: ['node added', 'node changed', 'storage changed'],
  prepare({ volumeClaims }, { storage }) {
    const places: Place[] = [];
    for (const { key, pod } of volumeClaims) {
      const name = pod === undefined ? storage.volumeClaims.get(key)?.spec.volumeName : undefined;
      if (!name) continue; // unbound, or checked elsewhere
      const volume = storage.volumes.get(name);
      if (volume === undefined) return { kind: 'rejected', reason: `persistentvolume "${name}" not found` };
      places.push(...placesOf(volume.metadata.labels));
    }
    if (places.length === 0) return NOTHING_TO_CHECK;
    return { kind: 'check', check: ({ labels }) => (isWithin(labels, places) ? undefined : ELSEWHERE) };
  },
};

/** Several zones in one label are separated by two underscores. */
function placesOf(labels: Labels = {}): readonly Place[] {
  return [...TODAY.keys()]
    .filter((key) => labels[key] !== undefined)
    .map((key) => ({ key, values: labels[key]!.split('__').map((zone) => zone.trim()) }));
}

function isWithin(labels: Labels, places: readonly Place[]): boolean {
  const isPlaced = [...TODAY.keys()].some((key) => labels[key] !== undefined);
  return !isPlaced || places.every(({ key, values }) => values.includes(labels[key] ?? labels[TODAY.get(key)!] ?? ''));
}
