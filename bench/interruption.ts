// npm run bench -- interruption: what the controller does with the messages of its queue, as a process of its own with the
// default limits of requests to the API server, on an emulated AWS and an embedded cluster in another process.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startController } from './e2e/controller.ts';
import type { ProcessFigures } from './e2e/probe-process.ts';
import type { EnvironmentAnswer, EnvironmentPlace, EnvironmentRequest } from './interruption/environment-process.ts';
import { type Row, rowOf } from './report.ts';
import { messageFrom, startChild, stopChild } from './runtime/children.ts';

const NODES = 2_000;
const NO_OPS = 20_000;
const NO_OPS_A_SECOND = 1_000;
const LATE_PODS = 20;
/** To set the cluster up, which is not measured. */
const UNLIMITED = { KUBE_CLIENT_QPS: '-1' };
/** Until the caches are filled, and nothing is under way. */
const QUIET_MS = 20_000;

interface Measured {
  readonly environment: EnvironmentAnswer;
  readonly controller: ProcessFigures;
}

export async function measureInterruption(): Promise<readonly Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-interruption-'));
  const environment = startChild('../interruption/environment-process.ts', [folder]);
  try {
    const place = await messageFrom<EnvironmentPlace>(environment);
    const ask = (request: EnvironmentRequest): Promise<EnvironmentAnswer> => {
      environment.send(request);
      return messageFrom<EnvironmentAnswer>(environment);
    };
    await setUp(place, ask);
    const { noise, storm } = await measure(place, ask);
    return rowsOf(noise, storm);
  } finally {
    await stopChild(environment);
    rmSync(folder, { recursive: true, force: true });
  }
}

type Ask = (request: EnvironmentRequest) => Promise<EnvironmentAnswer>;

async function setUp({ kubeconfigPath, env }: EnvironmentPlace, ask: Ask): Promise<void> {
  const controller = startController(kubeconfigPath, { ...env, ...UNLIMITED }, 'aws');
  try {
    await ask({ kind: 'pods', name: 'early', count: NODES });
  } finally {
    await controller.stop();
  }
}

async function measure(
  { kubeconfigPath, env }: EnvironmentPlace,
  ask: Ask,
): Promise<{ readonly noise: Measured; readonly storm: Measured }> {
  const controller = startController(kubeconfigPath, env, 'aws');
  const timed = async (request: EnvironmentRequest): Promise<Measured> => {
    await sleep(QUIET_MS);
    await controller.figures();
    return { environment: await ask(request), controller: await controller.figures() };
  };
  try {
    const noise = await timed({ kind: 'noise', messages: NO_OPS });
    return { noise, storm: await timed({ kind: 'storm', pods: LATE_PODS }) };
  } finally {
    await controller.stop();
  }
}

function rowsOf(noise: Measured, storm: Measured): readonly Row[] {
  const row = (what: string, unit: string, must: number | undefined, figure: number) =>
    rowOf(what, unit, must, [figure]);
  const delays = ({ controller }: Measured): readonly Row[] => [
    row('  99.9th percentile of the times that the event loop is held', 'ms', 50, controller.heldMilliseconds),
    row('  the longest', 'ms', undefined, controller.longestHeldMilliseconds),
    row(
      '  99.9th percentile of delays, those included that the host makes',
      'ms',
      undefined,
      controller.delayMilliseconds,
    ),
    row('  processor time of the controller', 's', undefined, controller.cpuSeconds),
    row('  memory of the controller at most', 'MB', undefined, controller.peakRssMegabytes),
  ];
  const { environment } = storm;
  return [
    row(
      `${NO_OPS} messages that concern nobody are deleted after`,
      's',
      NO_OPS / NO_OPS_A_SECOND,
      noise.environment.seconds,
    ),
    ...delays(noise),
    row('2,000 spot warnings at once: NodeClaims that are not there', '', 0, NODES - environment.nodeClaims),
    row('  all NodeClaims are being deleted after', 's', 15, environment.seconds),
    row('  the first NodeClaim for displaced and new pods is created after', 's', 30, environment.provisionedSeconds),
    ...delays(storm),
  ];
}
