// npm run test:upstream-aws: upstream's own AWS controller and ours, one after the other on a real control plane, each
// with an emulator of AWS that begins the same. Of the same manifests they must make the same objects and requests: an
// emulator that only we can live with is wrong, and so is a provider that asks for something else than upstream.
import { Client, findConnection, HttpsTransport, nullLogger, realClock } from '@karpenter-ts/runtime';
import { ON_REAL_CONTROL_PLANE, readGuide } from '../aws-guides/guide.ts';
import { interruptSignal } from '../lab/interrupt.ts';
import { type Lab, startLab } from '../lab/lab.ts';
import { startController } from '../operator/controller-process.ts';
import { installCrds } from '../operator/crds.ts';
import { startUpstream } from './controller.ts';
import { type Difference, findDifferences } from './differences.ts';
import { findReason } from './known-differences.ts';
import { type RecordedRun, recordRun, type Subject } from './recorded-run.ts';

const UPSTREAM: Subject = { name: 'upstream', start: (lab, env) => startUpstream(lab, env) };
/** It packs as upstream does, because what is compared is the provider. */
const OURS: Subject = {
  name: 'ours',
  start: (lab, env) =>
    startController(lab.kubeconfigPath, { ...env, DISABLE_LEADER_ELECTION: 'true', PACKING_POLICY: 'Upstream' }, 'aws'),
};

/** Says what it has come to, with the seconds since the start. */
function say(what: string): void {
  process.stdout.write(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${what}\n`);
}

async function compare(lab: Lab, client: Client, names: readonly string[]): Promise<number> {
  const guides = names.map(readGuide);
  const upstream = await recordRun(UPSTREAM, guides, { lab, client, say });
  report('upstream', upstream);
  const ours = await recordRun(OURS, guides, { lab, client, say });
  report('ours', ours);
  const verdicts = [...names.map((name) => compareGuide(name, upstream, ours)), ...[upstream, ours].map(isClean)];
  const failed = verdicts.filter((verdict) => !verdict).length;
  say(`${verdicts.length - failed} passed, ${failed} failed`);
  return failed;
}

/** True if what is different has a reason. */
function compareGuide(name: string, upstream: RecordedRun, ours: RecordedRun): boolean {
  const differences = findDifferences(name, upstream.recordings.get(name)!, ours.recordings.get(name)!);
  const unknown = differences.filter((each) => findReason(each) === undefined);
  say(`${name}: ${unknown.length === 0 ? 'the same' : 'NOT the same'}`);
  for (const each of differences) print(each);
  return unknown.length === 0;
}

function print(difference: Difference): void {
  const reason = findReason(difference);
  const line = (text: string): void => void process.stdout.write(`           ${text}\n`);
  line(difference.path);
  if (reason !== undefined) return line(`  known: ${reason}`);
  line(`  upstream: ${JSON.stringify(difference.upstream)}`);
  line(`  ours:     ${JSON.stringify(difference.ours)}`);
}

function isClean({ leftovers }: RecordedRun): boolean {
  for (const what of leftovers) say(`left behind: ${what}`);
  return leftovers.length === 0;
}

/** Errors that a controller logs are the emulator's, unless their cause is known. */
function report(name: string, { calls, lines }: RecordedRun): void {
  say(`${name}: requests`);
  for (const [call, count] of countsOf(calls.map(({ service, operation }) => `${service} ${operation}`))) {
    process.stdout.write(`         ${call} ${count}\n`);
  }
  const errors = lines.filter(({ level }) => level.toUpperCase() === 'ERROR');
  say(`${name}: errors in the log: ${errors.length}`);
  for (const [text, count] of countsOf(errors.map(({ message, error = '' }) => `${message} ${error}`))) {
    process.stdout.write(`         ${count} × ${text}\n`);
  }
}

function countsOf(texts: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function main(names: readonly string[], signal: AbortSignal): Promise<number> {
  const lab = await startLab({ name: `upstream-aws-${process.pid}`, onProgress: say }, signal);
  const env = { KUBECONFIG: lab.kubeconfigPath };
  const connection = await findConnection({ env });
  const transport = new HttpsTransport({ connection, clock: realClock, logger: nullLogger, env });
  try {
    const client = new Client({ transport, clock: realClock, userAgent: 'karpenter/e2e' });
    await installCrds(lab, 'aws');
    return await compare(lab, client, names);
  } finally {
    transport.close();
    await lab.stop();
  }
}

const named = process.argv.slice(2);
process.exitCode = (await main(named.length > 0 ? named : ON_REAL_CONTROL_PLANE, interruptSignal())) === 0 ? 0 : 1;
