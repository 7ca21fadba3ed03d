import { before, describe, test } from 'node:test';
import { GetCallerIdentityCommand } from '@aws-sdk/client-sts';
import { realClock, scaledClock, VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../emulator.ts';
import { sdkHandler } from '../sdk-handler.ts';
import { contractClients, type Destination } from './clients.ts';
import { CONTRACT } from './contract.ts';
import { type ContractTarget, runContract } from './contract-run.ts';
import type { ContractCase } from './contract-case.ts';

const CONCURRENCY = 8;

type Outcomes = ReadonlyMap<ContractCase, unknown>;

/** In virtual time: waiting costs nothing. */
async function runInProcess(): Promise<Outcomes> {
  const clock = new VirtualClock();
  const emulator = await startEmulator({ clock, seed: 1 });
  const target = { ...RUN, destination: { handler: sdkHandler(emulator) }, clock };
  await readSharedConfiguration(target.destination);
  const outcomes = await clock.runUntil(runContract(CONTRACT, target, CONCURRENCY));
  await emulator.stop();
  return outcomes;
}

/** The SDK's first request reads files, once for the process; the virtual clock would not wait for that. */
async function readSharedConfiguration(destination: Destination): Promise<void> {
  const { sts, destroy } = contractClients(destination);
  await sts.send(new GetCallerIdentityCommand({}));
  destroy();
}

/** Five times as fast as the host's time. */
async function runOverHttp(): Promise<Outcomes> {
  const clock = scaledClock(realClock, 5);
  const emulator = await startEmulator({ clock, seed: 1, listen: { port: 0 } });
  const destination = { endpoint: emulator.endpoint! };
  try {
    return await runContract(CONTRACT, { ...RUN, destination, clock }, CONCURRENCY);
  } finally {
    await emulator.stop();
  }
}

const RUN: Pick<ContractTarget, 'prefix' | 'patience'> = { prefix: 'contract', patience: 300_000 };

for (const [how, run] of [
  ['in the process', runInProcess],
  ['over HTTP', runOverHttp],
] as const) {
  describe(`the emulator ${how}`, () => {
    let outcomes: Outcomes;
    before(async () => {
      outcomes = await run();
    });

    for (const one of CONTRACT) {
      test(one.name, () => {
        const failure = outcomes.get(one);
        if (failure !== undefined) throw failure;
      });
    }
  });
}
