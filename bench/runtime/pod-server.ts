// A process of its own: an API server of N pods. Prints its address; changes pods when told to over IPC.
import { FixtureServer } from '@karpenter-ts/runtime/testing';
import { benchPod } from './pods.ts';

const [count = '0', streamsLists = 'true'] = process.argv.slice(2);
const pods = Number(count);
const server = new FixtureServer({ streamsLists: streamsLists === 'true' });
for (let i = 0; i < pods; i++) put(i, 0);
server.resource.compact();
await server.start();
process.on('message', ({ events }: { readonly events: number }) => void change(events));
process.on('disconnect', () => process.exit()); // whoever started it is gone
process.send?.({ url: server.url });

/** In turns, so that what is written reaches the socket and the log does not grow without end. */
async function change(events: number): Promise<void> {
  for (let done = 0; done < events; done++) {
    put(done % pods, 1 + Math.floor(done / pods));
    if (done % 200 === 199) await new Promise((resolve) => setImmediate(resolve));
  }
}

function put(i: number, revision: number): void {
  const { key, body, metadata } = benchPod(i, revision);
  server.resource.put(key, body, metadata);
}
