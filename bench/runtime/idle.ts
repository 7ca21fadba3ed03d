import { messageFrom, startChild, startPodServer, stopChild } from './children.ts';

export interface IdleFigures {
  /** From the start of the process until all caches are complete. */
  readonly readySeconds: number;
  /** Two seconds later. */
  readonly rssMegabytes: number;
}

/** A process with twenty informers on an empty cluster, run from its sources. */
export async function measureIdle(): Promise<IdleFigures> {
  const server = await startPodServer(0);
  const started = performance.now();
  const child = startChild('./idle-process.ts', [server.url]);
  try {
    await messageFrom(child);
    const readySeconds = (performance.now() - started) / 1000;
    const { rssMegabytes } = await messageFrom<{ rssMegabytes: number }>(child);
    return { readySeconds, rssMegabytes };
  } finally {
    await stopChild(child);
    await stopChild(server.child);
  }
}
