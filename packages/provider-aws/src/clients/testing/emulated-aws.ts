import type { TestContext } from 'node:test';
import { type Emulator, startEmulator } from '@karpenter-ts/aws-emulator';
import { realClock } from '@karpenter-ts/runtime';
import { KEYS, startClients } from './answering-server.ts';

/** A request that reached the emulator and was not refused before it was carried out. */
interface CarriedOut {
  readonly operation: string;
  readonly input: object;
}

/** The clients, with an emulator of AWS at the other end of their connections. Ends with the test. */
export async function startEmulatedAws(t: TestContext, env: NodeJS.ProcessEnv = {}) {
  const carriedOut: CarriedOut[] = [];
  const emulator: Emulator = await startEmulator({
    clock: realClock,
    seed: 1,
    region: KEYS.AWS_REGION,
    listen: { port: 0 },
    onRequest: (_service, operation, input) => carriedOut.push({ operation, input }),
  });
  t.after(() => emulator.stop());
  const clients = await startClients(t, emulator.endpoint!, env);
  const count = (operation: string): number => carriedOut.filter((one) => one.operation === operation).length;
  return { emulator, ...clients, carriedOut, count };
}
