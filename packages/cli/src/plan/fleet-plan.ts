import { stat } from 'node:fs/promises';
import { type ExtensionOptions, extensionOptions } from '@karpenter-ts/core';
import { parseOptions } from '@karpenter-ts/runtime';
import { Explainer, finish, packingOptions, planSnapshot } from '@karpenter-ts/scheduling';
import type { Fleet } from '../fleet/fleet-snapshot.ts';
import { readFleet } from '../fleet/fleet-file.ts';
import { toPlanFile } from '../fleet/plan-file.ts';
import { type Io, readFile, type SizeLimit } from '../io.ts';
import { renderPlan } from '../render/plan.ts';
import { printableJson, printableLine } from '../render/printable.ts';
import { renderUnplaced } from '../render/unplaced.ts';

/** As written on the command line; the controller's flags of the same names are read the same way. */
type PackingFlags = { readonly [K in keyof ExtensionOptions]: string };

export interface PlanSettings extends PackingFlags {
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
  const fleet = await loadFleet(io, name);
  if (fleet === undefined) return;
  const { snapshot } = fleet;
  const options = { ...fleet.options, preferencePolicy, packing: packingOptions(extensions) };
  const started = performance.now();
  const plan = finish(planSnapshot(snapshot, options));
  const file = toPlanFile(plan, (performance.now() - started) / 1000);
  if (output === 'json') io.stdout.write(`${printableJson(JSON.stringify(file))}\n`);
  else io.stdout.write(renderPlan(file, renderUnplaced(plan.unschedulable, new Explainer(snapshot, options))));
}

/** The settings, or `undefined` once it is said what is wrong with them. */
function readExtensions(flags: PackingFlags, io: Io): ExtensionOptions | undefined {
  const names = Object.keys(extensionOptions) as (keyof ExtensionOptions)[];
  const argv = names.map((name) => `--${extensionOptions[name].flag}=${flags[name]}`);
  const parsed = parseOptions({ extensions: { rows: extensionOptions } }, argv, {});
  if (parsed.kind === 'parsed') return parsed.options.extensions;
  io.stderr.write(`error: ${parsed.kind === 'refused' ? parsed.problem : parsed.usage}\n`);
  io.exitCode = 2;
  return undefined;
}

/** A text of that size is the largest that JavaScript can hold. */
const FLEET_LIMIT: SizeLimit = { bytes: 511 * 1024 * 1024, advice: 'more than can be read at once' };

/** The fleet, or `undefined` once it is said what keeps it from being read. */
async function loadFleet(io: Io, name: string): Promise<Fleet | undefined> {
  const refuse = (lines: readonly string[]): undefined => {
    io.stderr.write(lines.map((line) => `${printableLine(line)}\n`).join(''));
    io.exitCode = 1;
  };
  const isFolder = name !== '-' && (await stat(name).catch(() => undefined))?.isDirectory();
  if (isFolder) return refuse([`${name}:1:1: error: is a folder, not a fleet file`]);
  const file = await readFile(io, name, FLEET_LIMIT);
  if ('problem' in file) return refuse([`${file.name}:1:1: error: ${file.problem}`]);
  const read = readFleet(file.text);
  if ('fleet' in read) return read.fleet;
  return refuse(
    read.problems.map(({ line, column, field, message }) =>
      [`${file.name}:${line}:${column}: error`, ...(field === '' ? [] : [field]), message].join(': '),
    ),
  );
}
