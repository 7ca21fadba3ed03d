// npm run bench -- aws [part…]: the AWS provider against the emulator (issue 20).
import { measureCatalogue } from './aws/catalogue.ts';
import { measureLaunches } from './aws/launches.ts';
import { measureEc2Planning } from './aws/planning.ts';
import { measureStart } from './aws/start.ts';
import type { Row } from './report.ts';

/** A part of the suite by its name. Each brings its own rows. */
const PARTS: Readonly<Record<string, () => Promise<readonly Row[]>>> = {
  catalogue: measureCatalogue,
  planning: measureEc2Planning,
  start: measureStart,
  launches: measureLaunches,
};

/** Measures the parts that are named; all of them if none is. */
export async function measureAws(names: readonly string[]): Promise<readonly Row[]> {
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (unknown !== undefined) throw new Error(`no such part of the suite: ${unknown}`);
  const rows: Row[] = [];
  for (const [name, measure] of Object.entries(PARTS)) {
    if (names.length === 0 || names.includes(name)) rows.push(...(await measure()));
  }
  return rows;
}
