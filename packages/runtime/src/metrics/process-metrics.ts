import { readdir, readFile } from 'node:fs/promises';
import { defineCounter, defineGauge } from './definition.ts';
import type { Metrics } from './registry.ts';

// Names and meaning as in the Prometheus clients of all languages.
const cpu = defineCounter('process_cpu_seconds_total', [], 'User and system CPU time spent, in seconds.');
const residentMemory = defineGauge('process_resident_memory_bytes', [], 'Resident memory, in bytes.');
const virtualMemory = defineGauge('process_virtual_memory_bytes', [], 'Virtual memory, in bytes.');
const maxVirtualMemory = defineGauge('process_virtual_memory_max_bytes', [], 'Limit of virtual memory, in bytes.');
const openFiles = defineGauge('process_open_fds', [], 'Open file descriptors.');
const maxFiles = defineGauge('process_max_fds', [], 'Limit of open file descriptors.');
const startTime = defineGauge(
  'process_start_time_seconds',
  [],
  'When the process started, in seconds since the epoch.',
);

/**
 * Publishes what the operating system reports about this process. On systems other than Linux, only what Node can tell.
 */
export function collectProcessMetrics(metrics: Metrics): void {
  let counted = 0;
  metrics.collect(async () => {
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    metrics.increment(cpu, {}, seconds - counted);
    counted = seconds;
    metrics.set(residentMemory, {}, process.memoryUsage.rss());
    metrics.set(startTime, {}, performance.timeOrigin / 1000);
    if (process.platform === 'linux') await collectFromProc(metrics);
  });
}

async function collectFromProc(metrics: Metrics): Promise<void> {
  const [stat, limits, files] = await Promise.all([
    readFile('/proc/self/stat', 'utf8'),
    readFile('/proc/self/limits', 'utf8'),
    readdir('/proc/self/fd'),
  ]);
  metrics.set(virtualMemory, {}, virtualMemoryBytes(stat));
  metrics.set(maxVirtualMemory, {}, softLimit(limits, 'Max address space'));
  metrics.set(maxFiles, {}, softLimit(limits, 'Max open files'));
  metrics.set(openFiles, {}, files.length);
}

/**
 * Field 23 of `stat` in proc(5). The command in field 2 may contain blanks and parentheses, so the fields are counted
 * from its end.
 */
function virtualMemoryBytes(stat: string): number {
  const fromState = stat.slice(stat.lastIndexOf(')') + 2).split(' '); // field 3 on
  return Number(fromState[23 - 3]);
}

/** `unlimited` becomes the largest number, as in Prometheus' Go client. */
function softLimit(limits: string, name: string): number {
  const line = limits.split('\n').find((one) => one.startsWith(name)) ?? '';
  const soft = line.slice(name.length).trim().split(/\s+/)[0];
  return soft === 'unlimited' ? 2 ** 64 : Number(soft);
}
