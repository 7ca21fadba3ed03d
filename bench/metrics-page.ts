import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { defineGauge, Metrics, realClock, serveMetrics } from '@karpenter-ts/runtime';

/** How long the event loop was blocked while a large page was scraped. */
export interface MetricsPageFigures {
  readonly series: number;
  readonly pageBytes: number;
  /** CPU time of the thread that serves, for one scrape; compressing is done by others. */
  readonly cpuMillisecondsPerScrape: number;
  readonly loopDelayP999Milliseconds: number;
  readonly loopDelayMaxMilliseconds: number;
}

const SERIES = 20_000;
const SCRAPES = 20;

/** As many labels as upstream's gauge of a pod's phase. */
const podState = defineGauge(
  'karpenter_pods_state',
  ['name', 'namespace', 'owner', 'node', 'nodepool', 'zone', 'arch', 'capacity_type', 'instance_type', 'phase'],
  'Pod state.',
);

/** Scrapes a page of 20,000 series twenty times over HTTP, gzipped, by a client in another thread. */
export async function measureMetricsPage(): Promise<MetricsPageFigures> {
  const metrics = podMetrics();
  const server = createServer((request, response) => void serveMetrics(metrics, request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`;
  const delay = monitorEventLoopDelay({ resolution: 1 });
  const before = process.threadCpuUsage();
  delay.enable();
  const pageBytes = await scrapeFromThread(url);
  delay.disable();
  const { user, system } = process.threadCpuUsage(before);
  server.close();
  return {
    series: SERIES,
    pageBytes,
    cpuMillisecondsPerScrape: (user + system) / 1000 / SCRAPES,
    loopDelayP999Milliseconds: delay.percentile(99.9) / 1e6,
    loopDelayMaxMilliseconds: delay.max / 1e6,
  };
}

function podMetrics(): Metrics {
  const metrics = new Metrics(realClock);
  for (let i = 0; i < SERIES; i++) {
    const labels = {
      name: `workload-${i % 200}-7c9d5b8f6d-${i.toString(36).padStart(5, '0')}`,
      namespace: `team-${i % 50}`,
      owner: `/apis/apps/v1/namespaces/team-${i % 50}/replicasets/workload-${i % 200}-7c9d5b8f6d`,
      node: `ip-10-0-${(i >> 8) & 255}-${i & 255}.eu-central-1.compute.internal`,
      nodepool: 'default',
      zone: `eu-central-1${'abc'[i % 3]}`,
      arch: 'amd64',
      capacity_type: i % 2 === 0 ? 'spot' : 'on-demand',
      instance_type: 'm7i.2xlarge',
      phase: 'Running',
    };
    metrics.set(podState, labels, 1);
  }
  return metrics;
}

/**
 * The size of the page. The client runs in a thread of its own, so that it does not block the event loop that is
 * measured.
 */
async function scrapeFromThread(url: string): Promise<number> {
  const client = `
    const { parentPort, workerData } = require('node:worker_threads');
    (async () => {
      let bytes = 0;
      for (let i = 0; i < workerData.scrapes; i++) {
        const answer = await fetch(workerData.url, { headers: { 'accept-encoding': 'gzip' } });
        bytes = (await answer.arrayBuffer()).byteLength;
      }
      parentPort.postMessage(bytes);
    })();`;
  const worker = new Worker(client, { eval: true, workerData: { url, scrapes: SCRAPES } });
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}
