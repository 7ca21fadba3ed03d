import { METHOD_NAMES, type MethodName, type OfflineObjects, planningOptions } from '@karpenter-ts/core';
import { packingOptions } from '@karpenter-ts/scheduling';
import { readCluster } from '../cluster/cluster-file.ts';
import { findUnknownLabels } from '../cluster/label-notes.ts';
import { findObjectNotes } from '../cluster/object-notes.ts';
import { loadManifests } from '../cluster/manifest-input.ts';
import { withoutVolumeClaims } from '../cluster/volume-notes.ts';
import { toOfflineObjects } from '../cluster/offline-objects.ts';
import type { QUESTIONS } from '../commands/plan.ts';
import type { Io } from '../io.ts';
import { renderCluster } from '../render/cluster.ts';
import { printableJson } from '../render/printable.ts';
import { reportOnCluster } from './cluster-report.ts';
import { loadDocument, note } from './document-input.ts';
import { type ExtensionFlags, readExtensions } from './extension-flags.ts';

export interface ClusterPlanSettings extends ExtensionFlags {
  readonly what: (typeof QUESTIONS)[number];
  /** A cluster file; `-` is standard input. Undefined with manifests. */
  readonly from?: string;
  /** Manifests: files and folders. */
  readonly filename?: readonly string[];
  /** Where the instance types of manifests come from. */
  readonly catalogue: string;
  readonly untilStable: boolean;
  readonly output: 'text' | 'json';
  /** Undefined for what the file says. */
  readonly preferencePolicy: 'Respect' | 'Ignore' | undefined;
}

const METHODS_OF: Readonly<Record<ClusterPlanSettings['what'], readonly MethodName[]>> = {
  provision: [],
  empty: ['Emptiness'],
  drift: ['Drift'],
  expire: [],
  consolidate: ['MultiNodeConsolidation', 'SingleNodeConsolidation'],
  all: METHOD_NAMES,
};

/** Prints what the controller would do with a cluster. What is wrong with it is said, and left in `io.exitCode`. */
export async function runClusterPlan(settings: ClusterPlanSettings, io: Io): Promise<void> {
  const { what, untilStable, output, preferencePolicy } = settings;
  const extensions = readExtensions(settings, io);
  if (extensions === undefined) return;
  const read = await loadObjects(settings, io);
  if (read === undefined) return;
  const known = withoutVolumeClaims(read);
  const options = { ...read.options, ...extensions, ...(preferencePolicy !== undefined && { preferencePolicy }) };
  const objects = { ...known.objects, options };
  const warnings = [...findUnknownLabels(objects), ...findObjectNotes(objects)];
  note(io, [...warnings.map((text) => `warning: ${text}`), ...known.notes]);
  const { profile } = objects.catalogue;
  const planning = planningOptions(options, { profile, reservationIdLabel: undefined });
  const request = {
    objects,
    methods: METHODS_OF[what],
    untilStable,
    provisioning:
      what === 'provision' || what === 'all' ? { ...planning, packing: packingOptions(extensions) } : undefined,
    expirations: what === 'expire' || what === 'all',
  };
  const document = await reportOnCluster(request, io.unwritable);
  io.stdout.write(output === 'json' ? `${printableJson(JSON.stringify(document))}\n` : renderCluster(document));
}

async function loadObjects(settings: ClusterPlanSettings, io: Io): Promise<OfflineObjects | undefined> {
  const { from, filename = [], catalogue } = settings;
  if (from === undefined) return loadManifests(io, filename, catalogue);
  const content = await loadDocument(io, from, 'cluster file', parseCluster);
  return content && toOfflineObjects(content);
}

function parseCluster(text: string) {
  const read = readCluster(text);
  return 'problems' in read ? read : { document: read.content };
}
