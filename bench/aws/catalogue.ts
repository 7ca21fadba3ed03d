import { type Row, rowOf } from '../report.ts';
import { messageFrom, startChild, stopChild } from '../runtime/children.ts';
import type { CatalogueFigures } from './catalogue-process.ts';

const RUNS = 3;

/** The catalogue of us-east-1: every type in every zone, spot and on demand, for NodeClasses (issue 20). */
export async function measureCatalogue(): Promise<readonly Row[]> {
  const runs: CatalogueFigures[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measureOnce());
  const { types, offerings } = runs[0]!;
  const row = (what: string, unit: string, must: number, figure: (run: CatalogueFigures) => number): Row =>
    rowOf(what, unit, must, runs.map(figure));
  return [
    row(`${types} types with ${offerings} offerings, for one NodeClass`, 'ms CPU', 300, (run) => run.firstCpuMs),
    row('  for a second one with equal settings', 'ms', 5, ({ equalMs }) => equalMs),
    row('  new objects after a refresh without change', 'objects', 0, ({ newObjects }) => newObjects),
    row('  live heap with 10 NodeClasses, all different', 'MB', 60, ({ liveHeapMb }) => liveHeapMb),
    row("  longest hold of the event loop, from EC2's answers to the list", 'ms', 50, (run) => run.longestHoldMs),
  ];
}

/** Both processes are new: what is measured is the start of a controller. */
async function measureOnce(): Promise<CatalogueFigures> {
  const server = startChild('../aws/emulator-server.ts', []);
  const { endpoint } = await messageFrom<{ endpoint: string }>(server);
  const child = startChild('../aws/catalogue-process.ts', [endpoint], ['--expose-gc']);
  try {
    return await messageFrom<CatalogueFigures>(child);
  } finally {
    await Promise.all([stopChild(child), stopChild(server)]);
  }
}
