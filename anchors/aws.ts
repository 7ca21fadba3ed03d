// `npm run test:anchors -- aws`: what our AWS provider answers beside upstream's recorded answers. A file of lines has a
// runner of the same name; a further file needs a further row here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJson, differences, type Line, type Runner } from './aws/comparison.ts';

/** The recorded answers of this repository. */
export const AWS_FOLDER = join(import.meta.dirname, 'aws');

/** The runner of each file. They are loaded when their file is there: no file needs all of the provider. */
export const RUNNERS: Readonly<Record<string, () => Promise<Runner>>> = {
  'instance-types': async () => (await import('./aws/instance-types.ts')).instanceTypes,
  'nodeclass-hash': async () => (await import('./aws/nodeclass-hash.ts')).nodeClassHash,
};

/** Files of a folder that can be compared, by the names of their runners. */
export function fileNames(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  return files.map((file) => file.slice(0, -'.jsonl'.length)).sort();
}

/** The lines of a file. */
export function readLines(folder: string, name: string): readonly Line[] {
  const texts = readFileSync(join(folder, `${name}.jsonl`), 'utf8').split('\n');
  return texts.flatMap((text) => (text.trim() === '' ? [] : [JSON.parse(text) as Line]));
}

/** Where our answer differs from upstream's; empty if it does not. A runner that throws differs. */
export async function compareLine(runner: Runner, { input, want }: Line): Promise<readonly string[]> {
  const normalize = (value: unknown): unknown => asJson(runner.normalize?.(value) ?? value);
  try {
    return differences(normalize(await runner.answer(input)), normalize(want));
  } catch (error) {
    return [error instanceof Error ? `${error.name}: ${error.message}` : String(error)];
  }
}

/**
 * Compares all lines of a folder, prints those that differ, and returns whether there were any lines and all were equal.
 * A file that cannot be read, or that no runner knows, counts as one line that failed.
 */
export async function compareAnswers(folder: string, print: (line: string) => void): Promise<boolean> {
  const counts = { passed: 0, failed: 0 };
  for (const name of namesIn(folder, print)) {
    try {
      await compareFile(folder, name, counts, print);
    } catch (error) {
      counts.failed++;
      print(`FAILED ${name}  ${messageOf(error)}`);
    }
  }
  print(`${counts.passed} passed, ${counts.failed} failed`);
  return counts.passed > 0 && counts.failed === 0;
}

interface Counts {
  passed: number;
  failed: number;
}

const MOST_DIFFERENCES = 3;

async function compareFile(
  folder: string,
  name: string,
  counts: Counts,
  print: (line: string) => void,
): Promise<void> {
  const load = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (load === undefined) throw new Error(`no runner is called ${name}: there are ${Object.keys(RUNNERS).join(', ')}`);
  const runner = await load();
  for (const line of readLines(folder, name)) {
    const differs = await compareLine(runner, line);
    if (differs.length === 0) {
      counts.passed++;
      continue;
    }
    counts.failed++;
    const rest = differs.length - MOST_DIFFERENCES;
    const more = rest > 0 ? `; and ${rest} more` : '';
    print(`FAILED ${name} ${line.id}  ${differs.slice(0, MOST_DIFFERENCES).join('; ')}${more}`);
  }
}

function namesIn(folder: string, print: (line: string) => void): readonly string[] {
  try {
    const names = fileNames(folder);
    if (names.length === 0) print(`${folder} has no files of recorded answers: NAME.jsonl`);
    return names;
  } catch (error) {
    print(`${folder} cannot be read: ${messageOf(error)}`);
    return [];
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
