// The instance types of EC2NodeClasses, from EC2's answers over HTTP, in a process of its own: catalogue-process.ts URL
import { createCatalogue, nodeClass } from './ec2-catalogue.ts';
import { LoopHolds } from './loop-holds.ts';

export interface CatalogueFigures {
  readonly types: number;
  readonly offerings: number;
  /** Processor time of resolving all types for the first NodeClass. */
  readonly firstCpuMs: number;
  /** Time for another one with equal settings. */
  readonly equalMs: number;
  /** How many objects of the list are new after a refresh that changes nothing. */
  readonly newObjects: number;
  /** What ten NodeClasses with different settings keep, EC2's answers included. */
  readonly liveHeapMb: number;
  readonly longestHoldMs: number;
}

const NODE_CLASSES = 10;
const signal = new AbortController().signal;

async function measure(endpoint: string): Promise<CatalogueFigures> {
  const { discovered, source, refresh } = await createCatalogue(endpoint);
  const heapBefore = liveHeap();
  const holds = new LoopHolds();
  await refresh();
  const cpu = process.cpuUsage();
  const list = await source.listInTurns(nodeClass(discovered.zones, 1), undefined, signal);
  const { user, system } = process.cpuUsage(cpu);
  const longestHoldMs = holds.stop();

  const started = performance.now();
  const equal = source.list(nodeClass(discovered.zones, 1), undefined);
  const equalMs = performance.now() - started;
  if (equal !== list) throw new Error('NodeClasses with equal settings do not share their types');

  await refresh();
  const again = source.list(nodeClass(discovered.zones, 1), undefined);
  const newObjects = (again === list ? 0 : 1) + again.filter((type, index) => type !== list[index]).length;

  const others = Array.from({ length: NODE_CLASSES }, (_, pods) => nodeClass(discovered.zones, pods + 1));
  const lists = others.map((one) => source.list(one, undefined));
  const liveHeapMb = (liveHeap() - heapBefore) / 1e6;
  return {
    types: list.length,
    offerings: list.reduce((sum, { offerings }) => sum + offerings.length, 0),
    firstCpuMs: (user + system) / 1000,
    equalMs,
    newObjects,
    liveHeapMb: lists.length === NODE_CLASSES ? liveHeapMb : Number.NaN,
    longestHoldMs,
  };
}

function liveHeap(): number {
  globalThis.gc!();
  globalThis.gc!();
  return process.memoryUsage().heapUsed;
}

process.send!(await measure(process.argv[2]!));
process.disconnect();
