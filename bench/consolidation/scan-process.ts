// One cluster in a process of its own: scan-process.ts CLUSTER NODES
import { cacheCluster } from './cached-cluster.ts';
import { CLUSTERS } from './clusters.ts';
import { watchEventLoop } from './event-loop.ts';
import { type MultiNodeSearch, newTypeIndexes, Passes, type Scan } from './pass.ts';

/** What the process measures. */
export interface ScanFigures {
  readonly nodes: number;
  readonly pods: number;
  /** The first scan of a process that has done nothing before. */
  readonly coldScan: Scan;
  /** Scans of a process that has run for a while. Each reads everything again, except for the instance types. */
  readonly scans: readonly Scan[];
  /** Second scans of the unchanged cluster. */
  readonly rescans: readonly Scan[];
  readonly multiNode: readonly MultiNodeSearch[];
  readonly longestHoldMs: number;
  /** Of the process, with the objects and their copies in the caches, until the end of the first scan. */
  readonly peakRssMb: number;
}

/** Until the code is compiled as in a process that has run for a while. */
const WARM_UP_MS = 3_000;
const RUNS = 5;

async function measure(kind: string, nodes: number): Promise<ScanFigures> {
  const cached = cacheCluster(CLUSTERS[kind]!(nodes));
  const types = newTypeIndexes(cached);
  const eventLoop = watchEventLoop();
  const coldScan = await new Passes(cached, types).scan();
  const longestHoldMs = eventLoop.stop();
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  const started = performance.now();
  while (performance.now() - started < WARM_UP_MS) await new Passes(cached, types).scan();
  const scans: Scan[] = [];
  const rescans: Scan[] = [];
  const multiNode: MultiNodeSearch[] = [];
  for (let run = 0; run < RUNS; run++) {
    const passes = new Passes(cached, types);
    scans.push(await passes.scan());
    rescans.push(await passes.scan());
    multiNode.push(await passes.searchMultiNode());
  }
  const pods = cached.caches.pods.list().length;
  return { nodes, pods, coldScan, scans, rescans, multiNode, longestHoldMs, peakRssMb };
}

const [kind = '', nodes] = process.argv.slice(2);
process.send?.(await measure(kind, Number(nodes)));
process.disconnect();
