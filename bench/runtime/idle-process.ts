// Twenty informers and nothing to do. Tells when all caches are complete, and later how much memory that takes.
import { setTimeout as delay } from 'node:timers/promises';
import {
  Client,
  createLogger,
  HttpsTransport,
  Informer,
  Metrics,
  RateLimits,
  realClock,
  requestMetrics,
} from '@karpenter-ts/runtime';

const [server = ''] = process.argv.slice(2);
const clock = realClock;
const logger = createLogger({ level: 'info', clock, format: 'json', write: (line) => process.stderr.write(line) });
const metrics = new Metrics(clock);
const connection = { server, insecureSkipTlsVerify: false, identity: { kind: 'none' }, impersonation: {} } as const;
const client = new Client({
  transport: new HttpsTransport({ connection, clock, logger, env: {} }),
  clock,
  userAgent: 'karpenter/bench',
  rateLimits: new RateLimits({ qps: 200, burst: 300 }, clock),
  observer: requestMetrics(metrics),
});
const stop = new AbortController();
const informers = Array.from({ length: 20 }, (_, i) => {
  const type = { group: 'bench.dev', version: 'v1', plural: `kind${i}s`, kind: `Kind${i}`, namespaced: false };
  return new Informer({ client, type, clock, logger, metrics });
});
const running = informers.map((informer) => informer.start(stop.signal));
await Promise.all(informers.map((informer) => informer.waitForSync(AbortSignal.timeout(30_000))));
process.send?.('ready');
await delay(2000);
process.send?.({ rssMegabytes: process.memoryUsage.rss() / 1e6 });
stop.abort();
await Promise.all(running);
process.disconnect();
