import { type Row, rowOf } from '../report.ts';
import { measureInChild } from '../runtime/children.ts';
import type { LaunchFigures } from './launch-process.ts';

const RUNS = 3;
/** Upstream's batcher makes one of all that come within a second, for each distinct request. */
const REQUESTS = 10;

/**
 * 1,000 NodeClaims of ten distinct requests at once, against EC2's documented request rates and with the default limits of
 * requests to the API server. Time is virtual, so the processor time of all parts is added to it: less is possible in
 * a real cluster, where others do their part.
 */
export async function measureLaunches(): Promise<readonly Row[]> {
  const runs: LaunchFigures[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measureInChild<LaunchFigures>('../aws/launch-process.ts'));
  const row = (what: string, unit: string, must: number | undefined, figure: (run: LaunchFigures) => number): Row =>
    rowOf(what, unit, must, runs.map(figure));
  return [
    row(
      '1,000 NodeClaims of ten requests: all are launched after',
      's',
      20,
      (run) => run.virtualSeconds + run.cpuSeconds,
    ),
    row('  of that processor time of control plane, controller and EC2', 's', undefined, (run) => run.cpuSeconds),
    row('  not launched within two minutes', 'NodeClaims', 0, ({ missing }) => missing),
    row('  calls of CreateFleet', 'calls', REQUESTS, ({ createFleetCalls }) => createFleetCalls),
    row('  NodeClaims and log lines that tell of throttling', '', 0, ({ throttled }) => throttled),
  ];
}
