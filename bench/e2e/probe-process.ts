// Preloaded into the controller's process: reports its CPU time, memory and event loop delay since the last report.
import { readFileSync } from 'node:fs';
import { createHistogram, monitorEventLoopDelay } from 'node:perf_hooks';

/** Of the process since the last report. */
export interface ProcessFigures {
  readonly cpuSeconds: number;
  /** The 99.9th percentile of event loop delays. */
  readonly delayMilliseconds: number;
  readonly longestDelayMilliseconds: number;
  /** The same of the time that the thread itself worked meanwhile: a busy host makes delays that are not the process's. */
  readonly heldMilliseconds: number;
  readonly longestHeldMilliseconds: number;
  /** Since the process started. */
  readonly peakRssMegabytes: number;
}

const RESOLUTION_MS = 1;
const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
delay.enable();
let cpu = process.cpuUsage();

const MICROSECONDS = 1000;
const held = createHistogram();
let wall = performance.now();
let worked = process.threadCpuUsage();
setInterval(() => {
  const { user, system } = process.threadCpuUsage(worked);
  const passed = (performance.now() - wall) * MICROSECONDS;
  held.record(Math.max(1, Math.round(Math.min(passed, user + system))));
  wall = performance.now();
  worked = process.threadCpuUsage();
}, RESOLUTION_MS).unref();

process.on('message', () => {
  const used = process.cpuUsage(cpu);
  const figures: ProcessFigures = {
    cpuSeconds: (used.user + used.system) / 1e6,
    // Node measures from one timer to the next, so the timer's own interval is part of every value.
    delayMilliseconds: delay.percentile(99.9) / 1e6 - RESOLUTION_MS,
    longestDelayMilliseconds: delay.max / 1e6 - RESOLUTION_MS,
    heldMilliseconds: held.percentile(99.9) / MICROSECONDS,
    longestHeldMilliseconds: held.max / MICROSECONDS,
    peakRssMegabytes: peakRss(),
  };
  process.send?.(figures);
  cpu = process.cpuUsage();
  delay.reset();
  held.reset();
});
process.channel?.unref(); // whoever asks must not keep it alive

function peakRss(): number {
  const [, kilobytes = ''] = /^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  return (Number(kilobytes) * 1024) / 1e6;
}
