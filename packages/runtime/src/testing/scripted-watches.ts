import type { TestContext } from 'node:test';
import { Client } from '../client/client.ts';
import { inProcessTransport } from '../client/in-process-transport.ts';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import type { Clock, Instant } from '../clock.ts';
import { Informer } from '../informer/informer.ts';
import { VirtualClock } from '../virtual-clock.ts';
import { PODS } from './fixture-client.ts';
import { recordingLogger } from './recording-logger.ts';

/** The lines of a watch, and how it ends: at once, after so many milliseconds, or never. */
export interface WatchScript {
  /** The status of the answer; 200 by default. */
  readonly status?: number;
  readonly lines: readonly string[];
  readonly last: 'end' | 'silence' | number;
}

/** A pod, and the bookmark that completes the list. */
export const ONE_POD: readonly string[] = [
  '{"type":"ADDED","object":{"metadata":{"name":"a","uid":"u","resourceVersion":"1"}}}',
  '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"1","annotations":{"k8s.io/initial-events-end":"true"}}}}',
];

export const BOOKMARK = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"2"}}}';

/**
 * An informer in virtual time whose in-process server follows a script. `requests` lists the times of its requests,
 * `problems` its log lines.
 */
export function startScripted(t: TestContext, script: (request: number, path: string) => WatchScript) {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const requests: { readonly at: Instant; readonly path: string }[] = [];
  const transport = inProcessTransport(async ({ path }, signal) => {
    requests.push({ at: clock.now(), path });
    const answer = script(requests.length, path);
    return { status: answer.status ?? 200, headers: {}, body: play(answer, clock, signal), discard: () => {} };
  }, clock);
  const client = new Client({ transport, clock, userAgent: 'karpenter/test' });
  const informer = new Informer<ApiObject>({ client, type: PODS, clock, logger, random: () => 0 });
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  const problems = (): readonly (string | undefined)[] => logger.lines.map(({ error }) => error);
  return { informer, clock, requests, problems };
}

async function* play({ lines, last }: WatchScript, clock: Clock, signal: AbortSignal): AsyncGenerator<Buffer> {
  for (const line of lines) yield Buffer.from(`${line}\n`);
  if (last === 'end') return;
  if (last === 'silence')
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  else await clock.sleep(last, signal);
}
