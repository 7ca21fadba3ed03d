import { before, describe, test } from 'node:test';
import { realClock, VirtualClock } from '@karpenter-ts/runtime';
import { startEmulator } from '../emulator.ts';
import { sdkHandler } from '../sdk-handler.ts';
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
  const outcomes = await clock.runUntil(runContract(CONTRACT, target, CONCURRENCY));
  await emulator.stop();
  return outcomes;
}

async function runOverHttp(): Promise<Outcomes> {
  const emulator = await startEmulator({ clock: realClock, seed: 1, listen: { port: 0 } });
  const destination = { endpoint: emulator.endpoint! };
  try {
    return await runContract(CONTRACT, { ...RUN, destination, clock: realClock }, CONCURRENCY);
  } finally {
    await emulator.stop();
  }
}

const RUN: Pick<ContractTarget, 'prefix' | 'patience'> = { prefix: 'contract', patience: 60_000 };

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
