// `npm run test:anchors -- aws`: what our AWS provider answers beside upstream's recorded answers. The lines of a file
// NAME.jsonl are compared by the module `aws/NAME.ts`, which exports a `comparer`.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asJson, type Comparer, differences, type Line } from './aws/comparison.ts';

/** The recorded answers of this repository, and the comparers. */
export const AWS_FOLDER = join(import.meta.dirname, 'aws');

/** Files of a folder that can be compared, by the names of their comparers. */
export function fileNames(folder: string): readonly string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.jsonl'));
  return files.map((file) => file.slice(0, -'.jsonl'.length)).sort();
}

/** The comparer of a file. It is loaded when its file is there, because no file needs the whole provider. */
export async function loadComparer(name: string): Promise<Comparer> {
  if (!existsSync(join(AWS_FOLDER, `${name}.ts`))) throw new Error(`there is no comparer anchors/aws/${name}.ts`);
  const { comparer } = (await import(`./aws/${name}.ts`)) as { readonly comparer?: Comparer };
  if (comparer === undefined) throw new Error(`anchors/aws/${name}.ts exports no comparer`);
  return comparer;
}

/** The lines of a file. */
export function readLines(folder: string, name: string): readonly Line[] {
  const texts = readFileSync(join(folder, `${name}.jsonl`), 'utf8').split('\n');
  return texts.flatMap((text) => (text.trim() === '' ? [] : [JSON.parse(text) as Line]));
}

/** Where our answer differs from upstream's; empty if it does not. A comparer that throws differs. */
export async function compareLine(comparer: Comparer, { input, want }: Line): Promise<readonly string[]> {
  const normalize = (value: unknown): unknown => asJson(comparer.normalize?.(value) ?? value);
  try {
    return differences(normalize(await comparer.answer(input)), normalize(want));
  } catch (error) {
    return [error instanceof Error ? `${error.name}: ${error.message}` : String(error)];
  }
}

/**
 * Compares all lines of a folder, prints those that differ, and returns whether there were any lines and all were equal.
 * A file that cannot be read, or that no comparer is for, counts as one line that failed.
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

async function compareFile(folder: string, name: string, counts: Counts, print: (line: string) => void): Promise<void> {
  const comparer = await loadComparer(name);
  for (const line of readLines(folder, name)) {
    const differs = await compareLine(comparer, line);
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
