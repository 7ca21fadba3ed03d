import type { HeapProfiler, Profiler, Runtime } from 'node:inspector';
import type { Frame, PprofProfile } from './pprof-encoding.ts';

/** The mean number of bytes between two sampled allocations, as Go's default. */
export const HEAP_SAMPLE_BYTES = 512 * 1024;

/** The interval between two samples of a CPU profile. Go takes a hundred a second; V8 can afford a thousand. */
export const CPU_SAMPLE_MICROS = 1000;

/** V8's own entries for idle time. `(program)` and `(garbage collector)` are work and are kept. */
const NO_WORK = new Set(['(root)', '(idle)']);

/** Converts a CPU profile of V8 to the form of pprof. Idle time is left out. */
export function pprofOfCpu(profile: Profiler.Profile, startedAt: number): PprofProfile {
  const { nodes, samples = [], timeDeltas = [] } = profile;
  const parents = new Map<number, Profiler.ProfileNode>();
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const spent = new Map<number, { count: number; micros: number }>();
  for (const [index, id] of samples.entries()) {
    const total = spent.get(id) ?? { count: 0, micros: 0 };
    total.count++;
    total.micros += Math.max(0, timeDeltas[index + 1] ?? CPU_SAMPLE_MICROS); // until the next sample
    spent.set(id, total);
  }
  const stackOf = (node: Profiler.ProfileNode): Frame[] => {
    const stack: Frame[] = [];
    for (let at: Profiler.ProfileNode | undefined = node; at !== undefined; at = parents.get(at.id)) {
      if (!NO_WORK.has(at.callFrame.functionName)) stack.push(frameOf(at.callFrame));
    }
    return stack;
  };
  return {
    types: [
      { type: 'samples', unit: 'count' },
      { type: 'cpu', unit: 'nanoseconds' },
    ],
    samples: nodes
      .filter((node) => spent.has(node.id) && !NO_WORK.has(node.callFrame.functionName))
      .map((node) => ({
        stack: stackOf(node),
        values: [spent.get(node.id)!.count, spent.get(node.id)!.micros * 1000],
      })),
    period: { type: 'cpu', unit: 'nanoseconds', value: CPU_SAMPLE_MICROS * 1000 },
    startedAt,
    durationMs: (profile.endTime - profile.startTime) / 1000,
  };
}

/** Converts a sampling heap profile of V8 to the form of pprof. `type` is Go's word for what is counted. */
export function pprofOfHeap(
  { head }: HeapProfiler.SamplingHeapProfile,
  type: 'inuse_space' | 'alloc_space',
  startedAt: number,
): PprofProfile {
  return {
    types: [{ type, unit: 'bytes' }],
    samples: heapSamples(head, []),
    period: { type: 'space', unit: 'bytes', value: HEAP_SAMPLE_BYTES },
    startedAt,
    durationMs: 0,
  };
}

function* heapSamples(
  node: HeapProfiler.SamplingHeapProfileNode,
  callers: readonly Frame[],
): Generator<{ readonly stack: readonly Frame[]; readonly values: readonly number[] }> {
  const stack = NO_WORK.has(node.callFrame.functionName) ? callers : [frameOf(node.callFrame), ...callers];
  if (node.selfSize > 0 && stack.length > 0) yield { stack, values: [node.selfSize] };
  for (const child of node.children) yield* heapSamples(child, stack);
}

function frameOf({ functionName, url, lineNumber }: Runtime.CallFrame): Frame {
  return {
    name: functionName || '(anonymous)',
    file: url.replace(/^file:\/\//, ''),
    line: Math.max(0, lineNumber) + 1,
  };
}
