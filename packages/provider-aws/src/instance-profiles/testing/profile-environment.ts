import type { TestContext } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { VirtualClock } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import type { IamApi } from '../../api/aws-apis.ts';
import { EMULATED_CLUSTER, EmulatedAws } from '../../testing/emulated-aws.ts';
import { InstanceProfiles } from '../instance-profiles.ts';
import type { ProfileOwner } from '../profile-names.ts';
import { NodeClassProfiles } from '../node-class-profiles.ts';

export const CLUSTER_PATH = `/karpenter/us-east-1/${EMULATED_CLUSTER}/`;

interface Settings {
  readonly isolatedVpc: boolean;
  readonly owner: ProfileOwner;
}

/** IAM in the process, whose calls are counted, and what makes instance profiles there. */
export class ProfileEnvironment {
  readonly aws: EmulatedAws;
  readonly profiles: InstanceProfiles;
  readonly ofNodeClasses: NodeClassProfiles;
  readonly #settings: Settings;
  /** The calls of IAM since they were last read. */
  readonly #calls: [name: string, input: object][] = [];

  private constructor(aws: EmulatedAws, settings: Settings) {
    this.aws = aws;
    this.#settings = settings;
    this.profiles = new InstanceProfiles({ iam: recorded(aws.apis.iam, this.#calls), clock: aws.clock });
    const { profiles } = this;
    this.ofNodeClasses = new NodeClassProfiles({ ...settings, profiles, clock: aws.clock });
  }

  /** With the roles A, B, C and D, of which D has the path /teams/. */
  static async start(
    t: TestContext,
    { isolatedVpc = false, clusterName = EMULATED_CLUSTER, clock = new VirtualClock() } = {},
  ): Promise<ProfileEnvironment> {
    const aws = await EmulatedAws.start(t, clock);
    for (const role of ['A', 'B', 'C']) aws.emulator.iam.addRole(role);
    aws.emulator.iam.addRole('D', { path: '/teams/' });
    await aws.clock.advance(60_000);
    return new ProfileEnvironment(aws, { isolatedVpc, owner: { clusterName, region: 'us-east-1' } });
  }

  get iam() {
    return this.aws.emulator.iam;
  }

  /** Another process, which knows nothing of what the one before it did. */
  restart(): ProfileEnvironment {
    return new ProfileEnvironment(this.aws, this.#settings);
  }

  takeCalls(): readonly string[] {
    return this.#calls.splice(0).map(([name]) => name);
  }

  takeInputs(): readonly object[] {
    return this.#calls.splice(0).map(([, input]) => input);
  }

  /** The status that the NodeClass gets, looked for as often as is asked for. */
  async resolve(nodeClass: EC2NodeClass): Promise<EC2NodeClass> {
    for (;;) {
      const resolved = await this.aws.settle(this.ofNodeClasses.resolve(nodeClass, NEVER));
      if ('name' in resolved) {
        return { ...nodeClass, status: { ...nodeClass.status, instanceProfile: resolved.name } };
      }
      await this.aws.clock.advance(resolved.retryAfter);
    }
  }

  deleteAll(nodeClass: EC2NodeClass): Promise<void> {
    return this.aws.settle(this.ofNodeClasses.deleteAll(nodeClass, this.aws.logger, NEVER));
  }
}

export function classOf(spec: EC2NodeClass['spec'] | object, name = 'default', uid = `uid-${name}`): EC2NodeClass {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name, uid, generation: 1 },
    spec,
  } as EC2NodeClass;
}

/** The same NodeClass after an edit of its spec. */
export function edited(nodeClass: EC2NodeClass, spec: object): EC2NodeClass {
  return { ...nodeClass, spec } as EC2NodeClass;
}

function recorded(iam: IamApi, calls: [string, object][]): IamApi {
  const entries = Object.entries(iam).map(([name, call]) => {
    const recording = (input: object, signal: AbortSignal): Promise<unknown> => {
      calls.push([name, input]);
      return (call as (input: object, signal: AbortSignal) => Promise<unknown>)(input, signal);
    };
    return [name, recording];
  });
  return Object.fromEntries(entries) as IamApi;
}
