// AWS in a process of its own, so that its work is not measured with that of its clients. Its time stands still: spot
// prices stay what they are. The first message is its address.
import { startEmulator } from '@karpenter-ts/aws-emulator';
import { realClock } from '@karpenter-ts/runtime';

const NOW = Date.UTC(2026, 8, 1);

const emulator = await startEmulator({
  clock: {
    now: () => NOW,
    after: (delay, run) => realClock.after(delay, run),
    sleep: (delay, signal) => realClock.sleep(delay, signal),
  },
  seed: 1,
  region: 'us-east-1',
  listen: { port: 0 },
});
process.send!({ endpoint: emulator.endpoint });
