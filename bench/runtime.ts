import { type Row, rowOf } from './report.ts';
import { measureIdle } from './runtime/idle.ts';
import { type InformerFigures, measureInformer } from './runtime/informer.ts';
import type { MetricsPageFigures } from './metrics-page.ts';
import { measureInChild } from './runtime/children.ts';

const RUNS = 5;

/** What the runtime promises (issue B). Each run is a process of its own; the API server is another one. */
export async function measureRuntime(): Promise<readonly Row[]> {
  const all = await repeat(() => measureInformer('all'));
  const kept = await repeat(() => measureInformer('kept'));
  const paged = await repeat(() => measureInformer('paged'));
  const idle = await repeat(measureIdle);
  const page = await repeat(() => measureInChild<MetricsPageFigures>('./metrics-page-process.ts'));
  return [
    ...informerRows('20,000 pods, all fields', all, 130),
    ...informerRows('20,000 pods, kept fields, shared', kept, 40),
    ...informerRows('20,000 pods, all fields, paged list', paged, 130),
    ...delayRows('metrics page of 20,000 series', page),
    rowOf(
      '20 informers, empty cluster: start to ready',
      's',
      1.5,
      idle.map((run) => run.readySeconds),
    ),
    rowOf(
      '20 informers, empty cluster: RSS',
      'MB',
      130,
      idle.map((run) => run.rssMegabytes),
    ),
  ];
}

async function repeat<T>(measure: () => Promise<T>): Promise<readonly T[]> {
  const runs: T[] = [];
  for (let run = 0; run < RUNS; run++) runs.push(await measure());
  return runs;
}

function informerRows(what: string, runs: readonly InformerFigures[], heapMegabytes: number): readonly Row[] {
  return [
    rowOf(
      `${what}: initial sync, CPU`,
      's',
      2.5,
      runs.map((run) => run.syncCpuSeconds),
    ),
    rowOf(
      `${what}: live heap`,
      'MB',
      heapMegabytes,
      runs.map((run) => run.heapMegabytes),
    ),
    rowOf(
      `${what}: 40,000 events, CPU`,
      's',
      3.5,
      runs.map((run) => run.eventsCpuSeconds),
    ),
    rowOf(
      `${what}: (parsing 40,000 events, CPU)`,
      's',
      undefined,
      runs.map((run) => run.baselineCpuSeconds),
    ),
    ...delayRows(what, runs),
  ];
}

interface LoopDelays {
  readonly loopDelayP999Milliseconds: number;
  readonly loopDelayMaxMilliseconds: number;
}

function delayRows(what: string, runs: readonly LoopDelays[]): readonly Row[] {
  return [
    rowOf(
      `${what}: loop delay p99.9`,
      'ms',
      50,
      runs.map((run) => run.loopDelayP999Milliseconds),
    ),
    rowOf(
      `${what}: loop delay max`,
      'ms',
      100,
      runs.map((run) => run.loopDelayMaxMilliseconds),
    ),
  ];
}
