import { type SimulatedNode, simulatedNode } from '@karpenter-ts/embedded';
import { type ApiObject, NODES, PODS } from '@karpenter-ts/kubernetes';
import type { Client, Transport } from '@karpenter-ts/runtime';

/** Requests under way at once, about as many as a busy controller has. */
const CONCURRENCY = 50;

/** Creates so many nodes over three zones, with simulated kubelets unless `make` makes others. */
export async function createNodes(
  client: Client,
  count: number,
  make: (node: SimulatedNode) => ApiObject = simulatedNode,
): Promise<void> {
  await inParallel(count, async (i) => {
    await client.create(NODES, make({ name: `node-${i}`, zone: `zone-${'abc'[i % 3]}`, cpu: '16', memory: '64Gi' }));
  });
}

export async function removeTaints(client: Client, count: number): Promise<void> {
  await inParallel(count, async (i) => {
    await client.patch(NODES, { name: `node-${i}` }, { type: 'merge', body: { spec: { taints: null } } });
  });
}

/** Creates so many pods of one kind, as a ReplicaSet makes them. */
export async function createPods(client: Client, count: number, spec: object = {}): Promise<void> {
  await inParallel(count, async (i) => {
    await client.create(PODS, podOf(i, spec));
  });
}

/** The pod of this number, as a ReplicaSet makes it. */
export function podOf(i: number, spec: object): ApiObject {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `web-7c9d5b8f6d-${i}`,
      namespace: 'default',
      labels: { app: 'web', 'pod-template-hash': '7c9d5b8f6d' },
    },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'registry.example.com/team/app:1.27.3',
          ports: [{ name: 'http', containerPort: 8080 }],
          env: ['LOG_LEVEL', 'REGION', 'FEATURES', 'DATABASE_URL'].map((name) => ({ name, value: `value-of-${name}` })),
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '128Mi' } },
        },
      ],
      ...spec,
    },
  };
  return pod;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  const left = Array.from({ length: count }, (_, i) => i).values();
  const run = async (): Promise<void> => {
    for (const index of left) await work(index);
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, run));
}

/** Watches pods; `count` is called with each event's line. Ends with the signal. */
export async function watchPods(
  transport: Transport,
  count: (line: Buffer) => void,
  signal: AbortSignal,
): Promise<void> {
  const path = '/api/v1/pods?watch=true&resourceVersion=0';
  const response = await transport.send({ method: 'GET', path, headers: { accept: 'application/json' } }, signal);
  void readLines(response.body, count).catch(() => undefined); // aborted
}

/** Lines are counted without parsing, so that the cost of the load generator is not measured. */
async function readLines(body: AsyncIterable<Buffer>, count: (line: Buffer) => void): Promise<void> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of body) {
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end);
      count(rest.length > 0 ? Buffer.concat([rest, line]) : line);
      rest = Buffer.alloc(0);
      start = end + 1;
    }
    if (start < chunk.length) rest = Buffer.concat([rest, chunk.subarray(start)]);
  }
}
