import type { TestContext } from 'node:test';
import { type Emulator, type EmulatorClock, startEmulator } from '@karpenter-ts/aws-emulator';
import { realClock } from '@karpenter-ts/runtime';
import { KEYS, startClients } from './answering-server.ts';

/** A request that reached the emulator and was not refused before it was carried out. */
interface CarriedOut {
  readonly operation: string;
  readonly input: object;
  /** The account whose credentials it was made with. */
  readonly account: string;
}

/** An emulator of AWS that listens. Ends with the test. */
export async function startAws(t: TestContext, clock: EmulatorClock = realClock) {
  const carriedOut: CarriedOut[] = [];
  const emulator: Emulator = await startEmulator({
    clock,
    seed: 1,
    region: KEYS.AWS_REGION,
    listen: { port: 0 },
    onRequest: (_service, operation, input, { account }) => carriedOut.push({ operation, input, account }),
  });
  t.after(() => emulator.stop());
  const count = (operation: string): number => carriedOut.filter((one) => one.operation === operation).length;
  return { emulator, carriedOut, count };
}

/** The clients, with an emulator of AWS at the other end of their connections. Ends with the test. */
export async function startEmulatedAws(t: TestContext) {
  const aws = await startAws(t);
  return { ...aws, ...(await startClients(t, aws.emulator.endpoint!)) };
}
