import { messageFrom, startChild, startPodServer, stopChild } from './children.ts';

/** `all` keeps every field but managedFields, `kept` what a scheduler reads, parts shared; `paged` lists in pages. */
export type InformerVariant = 'all' | 'kept' | 'paged';

export interface InformerFigures {
  readonly syncCpuSeconds: number;
  /** After a forced collection, all pods in the cache. */
  readonly heapMegabytes: number;
  readonly eventsCpuSeconds: number;
  /** Parsing as many events, and nothing else, in the same process afterwards. */
  readonly baselineCpuSeconds: number;
  /** The worse of the initial list and the events. */
  readonly loopDelayP999Milliseconds: number;
  readonly loopDelayMaxMilliseconds: number;
}

const PODS = 20_000;
const EVENTS = 40_000;

/** The young generation is what the launcher makes it in a container whose limit is known; the heap is ours to collect. */
const FLAGS = ['--max-semi-space-size=16', '--expose-gc'];

/** An informer process against an API server process: the initial list, then changes as fast as they are taken. */
export async function measureInformer(variant: InformerVariant): Promise<InformerFigures> {
  const server = await startPodServer(PODS, variant !== 'paged');
  const informer = startChild('./informer-process.ts', [variant, server.url, String(PODS), String(EVENTS)], FLAGS);
  try {
    await messageFrom(informer); // synced
    server.child.send({ events: EVENTS });
    return await messageFrom<InformerFigures>(informer);
  } finally {
    await stopChild(informer);
    await stopChild(server.child);
  }
}
