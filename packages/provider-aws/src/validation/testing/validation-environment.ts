// The validation of NodeClasses beside an EC2 in this process, which is asked through AWS' own clients.
import type { TestContext } from 'node:test';
import { internalError } from '@karpenter-ts/aws-emulator';
import { AWS_GROUP, type EC2NodeClass, type NodePool } from '@karpenter-ts/apis';
import { type Condition, findCondition } from '@karpenter-ts/kubernetes';
import { type Result, SECOND } from '@karpenter-ts/runtime';
import { NEVER } from '@karpenter-ts/runtime/testing';
import { Cluster } from '../../cluster/cluster.ts';
import type { DiscoveredTypes } from '../../instance-types/discovered-types.ts';
import { LaunchTemplates } from '../../launch/launch-templates.ts';
import { CLUSTER } from '../../testing/launch-environment.ts';
import { EMULATED_CLUSTER, EmulatedAws } from '../../testing/emulated-aws.ts';
import { discoverEmulatedTypes, emulatedInstanceTypes } from '../../testing/emulated-types.ts';
import { nodeClassConditions } from '../../node-class/node-class-parts.ts';
import { NodeClassDraft } from '../../status/node-class-draft.ts';
import { Validation } from '../validation.ts';

export const PROFILE = 'node-profile';
const REGION = 'us-east-1';

type Spec = NonNullable<EC2NodeClass['spec']>;
type Status = NonNullable<EC2NodeClass['status']>;

export interface ClassParts {
  readonly name?: string;
  readonly spec?: Partial<Spec>;
  readonly status?: Partial<Status>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** Conditions of the other steps that are not True. */
  readonly conditions?: Readonly<Record<string, 'False' | 'Unknown'>>;
}

/** A call of EC2 and what it asked for. */
export interface Asked {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export interface ValidationParts {
  readonly types?: readonly string[];
  readonly disableDryRun?: boolean;
  readonly reservedCapacity?: boolean;
  /** Of the cluster's service addresses. */
  readonly network?: { readonly serviceIpv4Cidr?: string; readonly ipFamily?: 'ipv6' };
}

/** A process that has just started, its EC2, and NodeClasses whose other steps are done. */
export class ValidationEnvironment {
  readonly aws: EmulatedAws;
  readonly validation: Validation;
  readonly templates: LaunchTemplates;
  /** Calls that reached AWS, since the last `forgetCalls`. */
  readonly asked: Asked[];
  readonly #nodePools: NodePool[] = [];

  private constructor(aws: EmulatedAws, asked: Asked[], parts: ValidationParts, discovered: DiscoveredTypes) {
    const { apis, clock, logger, metrics, stopping } = aws;
    this.aws = aws;
    this.asked = asked;
    const deps = { ...apis, clock, logger, metrics, stopping, region: REGION };
    const { disableDryRun = false, reservedCapacity = false } = parts;
    const { cidr: _, ...facts } = CLUSTER;
    this.templates = new LaunchTemplates({ ...deps, clusterName: EMULATED_CLUSTER });
    this.validation = new Validation({
      ...deps,
      cluster: new Cluster({ ...deps, facts }),
      templates: this.templates,
      instanceTypes: emulatedInstanceTypes(aws, discovered),
      placementGroups: { resolve: async () => undefined },
      nodePools: { byIndex: (_index, key) => this.#nodePools.filter(() => key.endsWith('default')) },
      reservedCapacity,
      disableDryRun,
    });
  }

  static async start(t: TestContext, parts: ValidationParts = {}): Promise<ValidationEnvironment> {
    const asked: Asked[] = [];
    const { types: instanceTypes = ['m5.large', 'm6g.large'], network } = parts;
    const onRequest = (_service: string, operation: string, input: object): void =>
      void asked.push({ operation, input: input as Asked['input'] });
    const aws = await EmulatedAws.start(t, undefined, { instanceTypes, onRequest });
    const { clock, emulator } = aws;
    emulator.eks.addCluster({ name: EMULATED_CLUSTER, endpoint: CLUSTER.endpoint, ...network });
    emulator.iam.addInstanceProfile(PROFILE);
    await clock.advance(10 * SECOND); // until EC2 knows of it
    const discovered = await discoverEmulatedTypes(aws);
    const env = new ValidationEnvironment(aws, asked, parts, discovered);
    env.forgetCalls();
    return env;
  }

  /** A NodeClass of AL2023 with what the other steps have found. Its image is for amd64. */
  nodeClass({ name = 'default', spec, status, annotations = {}, conditions = {} }: ClassParts = {}): EC2NodeClass {
    const { network, image } = this.aws;
    const subnets = Object.entries(network.subnetIds).map(([zone, id]) => ({ id, zone }));
    const dependents = ['AMIsReady', 'SubnetsReady', 'SecurityGroupsReady', 'InstanceProfileReady'];
    return {
      apiVersion: `${AWS_GROUP}/v1`,
      kind: 'EC2NodeClass',
      metadata: { name, uid: `uid-${name}`, generation: 1, annotations },
      spec: {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ id: image }],
        subnetSelectorTerms: [{ tags: { a: 'b' } }],
        securityGroupSelectorTerms: [{ tags: { a: 'b' } }],
        instanceProfile: PROFILE,
        metadataOptions: { httpTokens: 'required', httpEndpoint: 'enabled', httpPutResponseHopLimit: 1 },
        ...spec,
      } as Spec,
      status: {
        amis: [{ id: image, requirements: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }] }],
        subnets,
        securityGroups: [{ id: network.securityGroupId }],
        instanceProfile: PROFILE,
        conditions: dependents.map((type) => this.#condition(type, conditions[type] ?? 'True')),
        ...status,
      } as Status,
    };
  }

  #condition(type: string, status: string): Condition {
    const lastTransitionTime = new Date(this.aws.clock.now()).toISOString();
    return { type, status, observedGeneration: 1, reason: type, message: '', lastTransitionTime } as Condition;
  }

  /** A NodePool that refers to the NodeClass `default`. */
  addNodePool(requirements: readonly object[], labels: Readonly<Record<string, string>> = {}): void {
    const nodeClassRef = { group: AWS_GROUP, kind: 'EC2NodeClass', name: 'default' };
    const template = { metadata: { labels }, spec: { nodeClassRef, requirements } };
    this.#nodePools.push({
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: `pool-${this.#nodePools.length}` },
      spec: { template },
    } as unknown as NodePool);
  }

  /** One run over the NodeClass, and what it says of it then. */
  async validate(nodeClass: EC2NodeClass = this.nodeClass()): Promise<Validated> {
    const { clock, logger } = this.aws;
    const draft = new NodeClassDraft(nodeClass, { rules: nodeClassConditions(false), clock });
    let result: Result | undefined;
    let error: Error | undefined;
    try {
      result = await this.aws.settle(this.validation.reconcile(draft, NEVER, logger));
    } catch (thrown) {
      error = thrown as Error;
    }
    const condition = findCondition(draft.nodeClass, 'ValidationSucceeded')!;
    const { status, reason, message } = condition;
    return { says: `${status} ${reason}: ${message}`, result, error, nodeClass: draft.nodeClass };
  }

  /** A run that is told to stop while it asks EC2 for this. */
  async stopDuring(operation: string): Promise<void> {
    const { clock, logger, emulator } = this.aws;
    const stopping = new AbortController();
    const draft = new NodeClassDraft(this.nodeClass(), { rules: nodeClassConditions(false), clock });
    const stop = (): boolean => {
      stopping.abort(new Error('stopping'));
      return false;
    };
    emulator.faults.inject(internalError, { operation, when: stop });
    await this.aws.settle(this.validation.reconcile(draft, stopping.signal, logger));
  }

  /**
   * The calls that validation makes, in their order. AWS' SDK repeats a call when it notices that the clock is off, as a
   * virtual one is.
   */
  calls(): readonly string[] {
    const operations = this.asked.map(({ operation }) => operation);
    return operations.filter((operation, at) => operation !== operations[at - 1]);
  }

  /** What the calls of this name asked for. */
  inputs(operation: string): readonly Asked['input'][] {
    return this.asked.filter((one) => one.operation === operation).map(({ input }) => input);
  }

  forgetCalls(): void {
    this.asked.length = 0;
  }
}

export interface Validated {
  /** The condition, as `status reason: message`. */
  readonly says: string;
  readonly result: Result | undefined;
  readonly error: Error | undefined;
  readonly nodeClass: EC2NodeClass;
}
