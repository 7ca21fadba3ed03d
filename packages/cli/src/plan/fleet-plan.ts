import { Explainer, finish, packingOptions, planSnapshot } from '@karpenter-ts/scheduling';
import { readFleet } from '../fleet/fleet-file.ts';
import { toPlanFile } from '../fleet/plan-file.ts';
import type { Io } from '../io.ts';
import { renderPlan } from '../render/plan.ts';
import { printableJson } from '../render/printable.ts';
import { renderUnplaced } from '../render/unplaced.ts';
import { loadDocument } from './document-input.ts';
import { type ExtensionFlags, readExtensions } from './extension-flags.ts';

export interface PlanSettings extends ExtensionFlags {
  /** The fleet file; `-` is standard input. */
  readonly fleet: string;
  readonly output: 'text' | 'json';
  readonly preferencePolicy: 'Respect' | 'Ignore';
}

/** Prints the nodes for the pods of a fleet file. What is wrong with the file is said, and left in `io.exitCode`. */
export async function runPlan(settings: PlanSettings, io: Io): Promise<void> {
  const { fleet: name, output, preferencePolicy } = settings;
  const extensions = readExtensions(settings, io);
  if (extensions === undefined) return;
  const fleet = await loadDocument(io, name, 'fleet file', parseFleet);
  if (fleet === undefined) return;
  const { snapshot } = fleet;
  const options = { ...fleet.options, preferencePolicy, packing: packingOptions(extensions) };
  const started = performance.now();
  const plan = finish(planSnapshot(snapshot, options));
  const file = toPlanFile(plan, (performance.now() - started) / 1000);
  if (output === 'json') io.stdout.write(`${printableJson(JSON.stringify(file))}\n`);
  else io.stdout.write(renderPlan(file, renderUnplaced(plan.unschedulable, new Explainer(snapshot, options))));
}

function parseFleet(text: string) {
  const read = readFleet(text);
  return 'problems' in read ? read : { document: read.fleet };
}
