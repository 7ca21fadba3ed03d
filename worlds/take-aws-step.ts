import { SECOND, unlessGone } from '@karpenter-ts/runtime';
import { AWS_ZONES, type AwsCloud, EC2_NODE_CLASSES, ROLES } from './cloud/aws-cloud.ts';
import { EC2_SPEC, NODE_CLASS } from './cluster/node-class.ts';
import type { Environment } from './environment.ts';
import type { AwsStep, NodeClassEdit } from './plan/aws-step.ts';
import type { Choice } from './plan/world-plan.ts';

/** Takes a step that only a world with AWS has. If there is nothing that it could be about, it does nothing. */
export async function takeAwsStep(env: Environment, aws: AwsCloud, step: AwsStep): Promise<void> {
  const { journal } = env;
  const { ec2 } = aws.emulator;
  const passing = (what: string, duration: number, end: () => void): void => {
    journal.tell(`${what}, for ${duration / SECOND} s`);
    env.later(duration, async () => {
      journal.tell(`no more: ${what}`);
      end();
    });
  };
  switch (step.kind) {
    case 'fault':
      journal.tell(`AWS will answer ${step.times} × ${step.operation}: ${step.fault}`);
      return aws.breakCalls(step.operation, step.fault, step.times);
    case 'no-capacity':
      return passing(`no capacity of ${JSON.stringify(step.pool)}`, step.duration, aws.exhaust(step.pool));
    case 'no-addresses':
      return passing(`no addresses in ${step.zone}`, step.duration, aws.takeAddresses(step.zone));
    case 'slow-to-show':
      return passing(`instances show after up to ${step.most / SECOND} s`, step.duration, aws.showLate(step.most));
    case 'interrupt':
      return withInstance(env, step.choice, 'is interrupted', (id) => ec2.interrupt(id), 'spot');
    case 'interrupt-launches':
      journal.tell(`the next ${step.times} spot instances are interrupted at the age of ${step.age / SECOND} s`);
      return aws.interruptLaunches(step.age, step.times);
    case 'rebalance':
      return withInstance(env, step.choice, 'had better be replaced', (id) => ec2.recommendRebalance(id), 'spot');
    case 'retire': {
      const notBefore = env.clock.now() + RETIREMENT;
      return withInstance(env, step.choice, 'will be retired', (id) => {
        ec2.scheduleEvent(id, { code: 'instance-retirement', notBefore });
      });
    }
    case 'impair':
      return withInstance(env, step.choice, 'fails its status check', (id) => ec2.impair(id, 'instance'));
    case 'release-images':
      journal.tell(`there are new images${step.deprecates ? ', and those before are deprecated' : ''}`);
      return aws.releaseImages(step.deprecates);
    case 'messages':
      return passing(`messages are ${step.fault}`, step.duration, aws.courier.begin(step.fault));
    case 'stray-message':
      journal.tell(`a stray message: ${step.body}`);
      return aws.sendStray(step.body);
    case 'edit-node-class':
      return editNodeClass(env, step.edit, step.duration);
    case 'no-iam':
      return passing('IAM refuses everything', step.duration, aws.refuseIam());
    default:
      return step satisfies never;
  }
}

/** From the announcement of a retirement to the end of the instance. */
const RETIREMENT = 600 * SECOND;

/** Acts on one of the instances there are, in the order in which they were bought. */
function withInstance(
  { aws, journal }: Environment,
  choice: Choice,
  what: string,
  act: (id: string) => void,
  lifecycle?: 'spot',
): void {
  const instances = (aws?.living ?? []).filter((one) => lifecycle === undefined || one.lifecycle === lifecycle);
  const instance = instances[Math.floor(choice * instances.length)];
  if (instance === undefined) return;
  journal.tell(`instance ${instance.id} ${what}`);
  act(instance.id);
}

/** Changes the NodeClass for a while; some changes make it unusable, others drift all nodes. */
async function editNodeClass(env: Environment, edit: NodeClassEdit, duration: number): Promise<void> {
  const { cluster, journal } = env;
  const patch = async (spec: object): Promise<void> => {
    const body = { spec };
    await unlessGone(cluster.client.patch(EC2_NODE_CLASSES, { name: NODE_CLASS }, { type: 'merge', body }));
  };
  const { change, back } = changeOf(env, edit);
  journal.tell(`the NodeClass gets other ${edit}, for ${duration / SECOND} s`);
  await patch(change);
  env.later(duration, async () => {
    journal.tell(`the NodeClass gets its ${edit} back`);
    await patch(back);
  });
}

function changeOf(
  { aws, clock }: Environment,
  edit: NodeClassEdit,
): { readonly change: object; readonly back: object } {
  const { subnetSelectorTerms, securityGroupSelectorTerms, role } = EC2_SPEC;
  const nothing = [{ tags: { nobody: 'has-this' } }];
  switch (edit) {
    case 'tags':
      return { change: { tags: { edition: String(clock.now()) } }, back: { tags: null } };
    case 'user-data':
      return { change: { userData: `#!/bin/bash\necho ${clock.now()}\n` }, back: { userData: null } };
    case 'fewer-subnets': {
      const [, ...zones] = AWS_ZONES;
      const terms = zones.map((zone) => ({ id: aws?.network.subnetIds[zone] }));
      return { change: { subnetSelectorTerms: terms }, back: { subnetSelectorTerms } };
    }
    case 'no-subnets':
      return { change: { subnetSelectorTerms: nothing }, back: { subnetSelectorTerms } };
    case 'no-groups':
      return { change: { securityGroupSelectorTerms: nothing }, back: { securityGroupSelectorTerms } };
    case 'role':
      return { change: { role: ROLES[1] }, back: { role } };
    case 'missing-role':
      return { change: { role: 'nobody' }, back: { role } };
    default:
      return edit satisfies never;
  }
}
