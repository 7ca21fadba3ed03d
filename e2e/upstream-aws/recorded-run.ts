import { DescribeLaunchTemplatesCommand, EC2Client } from '@aws-sdk/client-ec2';
import { IAMClient, ListInstanceProfilesCommand } from '@aws-sdk/client-iam';
import type { Client } from '@karpenter-ts/runtime';
import { CREDENTIALS, INSTANCE_PROFILE, REGION } from '../aws-guides/account.ts';
import { apply, findOutcome, type Guide, isGone, type Outcome, remove } from '../aws-guides/guide.ts';
import type { Lab } from '../lab/lab.ts';
import { type AwsCall, type AwsCloud, startAwsCloud } from '../operator/aws-cloud.ts';
import { until } from '../operator/until.ts';
import { type Recording, recordGuide } from './recording.ts';

/** A Karpenter in a process of its own. */
interface Controller {
  readonly lines: readonly { readonly level: string; readonly message: string; readonly error?: string }[];
  readonly isRunning: boolean;
  stop(): Promise<unknown>;
}

/** What is recorded: a controller on a control plane, with an AWS of its own that begins as every other does. */
export interface Subject {
  readonly name: string;
  readonly start: (lab: Lab, env: AwsCloud['env']) => Controller | Promise<Controller>;
}

export interface RecordedRun {
  /** By the name of the guide. */
  readonly recordings: ReadonlyMap<string, Recording>;
  /** What was still there when all was deleted: instances, launch templates, instance profiles. */
  readonly leftovers: readonly string[];
  readonly calls: readonly AwsCall[];
  readonly lines: Controller['lines'];
}

interface Deps {
  readonly lab: Lab;
  readonly client: Client;
  readonly say: (what: string) => void;
}

/** Has all guides at once, until all have their nodes; then deletes them, until nothing is left. */
export async function recordRun(subject: Subject, guides: readonly Guide[], deps: Deps): Promise<RecordedRun> {
  const { lab, client, say } = deps;
  const cloud = await startAwsCloud(lab, client);
  const controller = await subject.start(lab, cloud.env);
  const wait = <T>(what: string, ask: () => Promise<T | undefined | false>): Promise<T> =>
    whileRunning(controller, `${subject.name}: ${what}`, ask);
  try {
    for (const guide of guides) await apply(client, guide);
    const outcomes = await Promise.all(
      guides.map((guide) => wait(`${guide.name} has its nodes`, () => outcomeOf(client, cloud, guide))),
    );
    say(`${subject.name}: all guides have their nodes`);
    await Promise.all(guides.map((guide) => remove(client, guide)));
    for (const guide of guides) await wait(`${guide.name} is gone`, () => isGone(client, cloud.emulator, guide));
    say(`${subject.name}: all guides are gone`);
    const recordings = new Map(outcomes.map((outcome) => [outcome.guide.name, recordGuide(outcome, cloud.calls)]));
    const leftovers = await findLeftovers(cloud);
    return { recordings, leftovers, calls: [...cloud.calls], lines: controller.lines };
  } catch (error) {
    for (const line of controller.lines.slice(-40)) process.stdout.write(`${JSON.stringify(line)}\n`);
    throw error;
  } finally {
    await controller.stop();
    await cloud.stop();
  }
}

async function whileRunning<T>(
  controller: Controller,
  what: string,
  ask: () => Promise<T | undefined | false>,
): Promise<T> {
  const answer = await until(what, async () => (controller.isRunning ? ask() : ('ended' as const)));
  if (answer === 'ended') throw new Error(`the controller ended before this: ${what}`);
  return answer;
}

async function outcomeOf(client: Client, { emulator }: AwsCloud, guide: Guide): Promise<Outcome> {
  const outcome = await findOutcome(client, emulator, guide);
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
}

async function findLeftovers({ emulator }: AwsCloud): Promise<readonly string[]> {
  const settings = { region: REGION, endpoint: emulator.endpoint ?? '', credentials: CREDENTIALS };
  const [ec2, iam] = [new EC2Client(settings), new IAMClient(settings)];
  try {
    const { LaunchTemplates = [] } = await ec2.send(new DescribeLaunchTemplatesCommand({}));
    const { InstanceProfiles = [] } = await iam.send(new ListInstanceProfilesCommand({}));
    const living = emulator.ec2.instances().filter(({ state }) => state !== 'terminated');
    return [
      ...living.map(({ id }) => `the instance ${id}`),
      ...LaunchTemplates.map(({ LaunchTemplateName }) => `the launch template ${LaunchTemplateName}`),
      ...InstanceProfiles.flatMap(({ InstanceProfileName }) =>
        InstanceProfileName === INSTANCE_PROFILE ? [] : [`the instance profile ${InstanceProfileName}`],
      ),
    ];
  } finally {
    ec2.destroy();
    iam.destroy();
  }
}
