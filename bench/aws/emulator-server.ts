// AWS in a process of its own, so that its work is not measured with that of its clients. Its time stands still, so that
// spot prices stay what they are; with `--real-time` it does not: AWS' SDK repeats a first request that is refused by a
// service whose time is another than its own, after a pause of seconds. The first message is its address.
import { startEmulator } from '@karpenter-ts/aws-emulator';
import { realClock } from '@karpenter-ts/runtime';

const STILL = Date.UTC(2026, 8, 1);
const isRealTime = process.argv.includes('--real-time');

const emulator = await startEmulator({
  clock: {
    now: () => (isRealTime ? realClock.now() : STILL),
    after: (delay, run) => realClock.after(delay, run),
    sleep: (delay, signal) => realClock.sleep(delay, signal),
  },
  seed: 1,
  region: 'us-east-1',
  listen: { port: 0 },
});
process.send!({ endpoint: emulator.endpoint });
