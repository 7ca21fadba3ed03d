// npm run test:aws: what the emulator of AWS promises, checked on moto, which others wrote. Ends with how many cases
// passed and failed, and exits 1 if one failed. The cases that are said not to hold on moto are run too: one that has
// come to hold is a failure, so that the list stays true. Then the provider on moto is put through the conformance kit.
import { inspect } from 'node:util';
import { CONTRACT, type ContractCase, type ContractTarget, runContract } from '@karpenter-ts/aws-emulator/contract';
import { conformance } from '@karpenter-ts/cloudprovider/testing';
import { realClock } from '@karpenter-ts/runtime';
import { interruptSignal } from '../lab/interrupt.ts';
import { LabError } from '../lab/lab-error.ts';
import { motoSubjects } from './moto-subject.ts';
import { installMoto, MOTO_VERSION, startMoto } from './moto.ts';

const CONCURRENCY = 4;
/** For cases that should pass: as long as a slow machine may need. */
const PATIENCE = 60_000;
/** For cases that should fail, most of which fail at once. */
const SHORT_PATIENCE = 5_000;
const LONGEST_RUN = 6 * 60_000;

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const onProgress = (line: string): void => void process.stderr.write(`${line}\n`);

async function main(): Promise<number> {
  const interrupt = interruptSignal();
  const signal = AbortSignal.any([interrupt, AbortSignal.timeout(LONGEST_RUN)]);
  try {
    const moto = await startMoto(await installMoto({ onProgress, signal }), signal);
    try {
      const destination = { endpoint: moto.endpoint };
      const target = { destination, clock: realClock, prefix: 'contract', patience: PATIENCE, signal };
      return Math.max(await compare(target), await conform(moto.endpoint, signal));
    } finally {
      await moto.stop();
    }
  } catch (error) {
    if (interrupt.aborted) return 130;
    if (signal.aborted) onProgress(`test:aws: not done after ${LONGEST_RUN / 60_000} minutes`);
    else if (error instanceof LabError) onProgress(`test:aws: ${error.message}`);
    else throw error;
    return 1;
  }
}

/** Returns the exit code. */
async function compare(target: ContractTarget): Promise<number> {
  const owed = CONTRACT.filter(({ notOn }) => notOn?.moto === undefined);
  const excused = CONTRACT.filter(({ notOn }) => notOn?.moto !== undefined);
  const failures = await runContract(owed, target, CONCURRENCY);
  const excuses = await runContract(excused, { ...target, patience: SHORT_PATIENCE }, CONCURRENCY);
  target.signal?.throwIfAborted();
  const verdicts = [
    ...owed.map((one) => judge(one, failures.get(one))),
    ...excused.map((one) => judgeExcused(one, excuses.get(one))),
  ];
  const count = (wanted: Verdict): number => verdicts.filter((verdict) => verdict === wanted).length;
  print(`\n${count('excused')} cases are not for moto ${MOTO_VERSION}, for the reasons above`);
  print(`${count('passed')} passed, ${count('failed')} failed`);
  return count('failed') === 0 ? 0 : 1;
}

/** Puts the provider on moto through the conformance kit. Returns the exit code. */
async function conform(endpoint: string, signal: AbortSignal): Promise<number> {
  print('\nthe AWS provider on moto:');
  let broken = 0;
  for (const { id, level, run } of conformance(await motoSubjects(endpoint))) {
    signal.throwIfAborted();
    const verdict = await run();
    const isBroken = verdict.result === 'failed' && level === 'must';
    if (isBroken) broken++;
    const mark = verdict.result === 'passed' ? 'ok   ' : isBroken ? 'FAIL ' : '-    ';
    print(`${mark} ${id}${verdict.result === 'passed' ? '' : ` (${verdict.detail.split('\n')[0]})`}`);
  }
  print(broken === 0 ? 'it conforms' : `${broken} obligations are broken`);
  return broken === 0 ? 0 : 1;
}

type Verdict = 'passed' | 'failed' | 'excused';

function judge({ name }: ContractCase, failure: unknown): Verdict {
  if (failure === undefined) {
    print(`ok    ${name}`);
    return 'passed';
  }
  print(`FAIL  ${name}\n${inspect(failure).replace(/^/gm, '      ')}`);
  return 'failed';
}

function judgeExcused({ name, notOn }: ContractCase, failure: unknown): Verdict {
  if (failure !== undefined) {
    print(`-     ${name} (moto ${notOn?.moto})`);
    return 'excused';
  }
  print(`FAIL  ${name}\n      it holds on moto: take its note away`);
  return 'failed';
}

process.exitCode = await main();
