import type { TestContext } from 'node:test';
import type { EC2NodeClass } from '@karpenter-ts/apis';
import { type Condition, findCondition } from '@karpenter-ts/kubernetes';
import { defaultsOf, MINUTE } from '@karpenter-ts/runtime';
import { Cluster } from '../cluster/cluster.ts';
import type { ClusterFacts } from '../cluster/cluster-facts.ts';
import { type NodeClassControllerDeps, nodeClassControllers } from '../controllers/node-class-controllers.ts';
import { SsmParameters } from '../images/ssm-parameters.ts';
import type { DiscoveredTypes } from '../instance-types/discovered-types.ts';
import { LaunchTemplates } from '../launch/launch-templates.ts';
import { SubnetAddressBook } from '../network/subnet-address-book.ts';
import { EC2_NODE_CLASSES } from '../node-class/node-class-lookup.ts';
import { awsOptions, type AwsOptions } from '../options/options.ts';
import { PlacementGroups } from '../placement/placement-groups.ts';
import { CapacityReservations } from '../reservations/capacity-reservations.ts';
import { ReservationCounts } from '../reservations/reservation-counts.ts';
import { EMULATED_CLUSTER, EmulatedAws } from './emulated-aws.ts';
import { discoverEmulatedTypes, emulatedInstanceTypes } from './emulated-types.ts';
import { ProviderEnvironment } from './provider-environment.ts';

const TAGGED = [{ tags: { 'karpenter.sh/discovery': EMULATED_CLUSTER } }];

/** As discovered at the start. */
const CLUSTER: ClusterFacts = {
  name: EMULATED_CLUSTER,
  endpoint: 'https://cluster.example',
  caBundle: 'dGVzdC1jYQ==',
  kubeDnsIp: '10.0.100.10',
};

export interface NodeClassEnvironmentParts {
  readonly options?: Partial<AwsOptions>;
  /** On unless given, as is the gate. */
  readonly reservedCapacity?: boolean;
  /** The version of the cluster. */
  readonly kubernetes?: string;
}

/** The controllers of EC2NodeClasses on an API server and an AWS in the process, which has the network of a cluster. */
export class NodeClassEnvironment {
  readonly env: ProviderEnvironment;
  readonly aws: EmulatedAws;
  readonly deps: NodeClassControllerDeps;
  /** The version of the cluster. */
  readonly kubernetes: { version: string };

  private constructor(
    env: ProviderEnvironment,
    aws: EmulatedAws,
    discovered: DiscoveredTypes,
    parts: NodeClassEnvironmentParts,
  ) {
    this.env = env;
    this.aws = aws;
    this.kubernetes = { version: parts.kubernetes ?? '1.35' };
    const { client, caches, clock, logger, metrics, events } = env;
    const { apis, stopping } = aws;
    const common = { ec2: apis.ec2, clock, logger, metrics, stopping, clusterName: EMULATED_CLUSTER };
    this.deps = {
      ...common,
      iam: apis.iam,
      region: 'us-east-1',
      client,
      caches,
      events,
      options: { ...defaultsOf(awsOptions), clusterName: EMULATED_CLUSTER, ...parts.options },
      reservedCapacity: parts.reservedCapacity ?? true,
      cluster: new Cluster({ ...common, eks: apis.eks, facts: CLUSTER }),
      kubernetes: this.kubernetes,
      parameters: new SsmParameters({ ...common, ssm: apis.ssm }),
      addresses: new SubnetAddressBook(clock, 5 * MINUTE),
      capacityReservations: new CapacityReservations({ ...common, counts: new ReservationCounts(clock) }),
      placementGroups: new PlacementGroups(common),
      templates: new LaunchTemplates(common),
      instanceTypes: emulatedInstanceTypes(aws, discovered),
    };
  }

  /** The controllers run at once. */
  static async start(t: TestContext, parts: NodeClassEnvironmentParts = {}): Promise<NodeClassEnvironment> {
    const env = new ProviderEnvironment();
    const aws = await EmulatedAws.start(t, env.clock, { instanceTypes: ['m5.large', 'm6g.large'] });
    await env.startWith(t);
    aws.emulator.iam.addRole('node');
    aws.emulator.eks.addCluster({ name: EMULATED_CLUSTER, endpoint: CLUSTER.endpoint });
    const discovered = await discoverEmulatedTypes(aws);
    const started = new NodeClassEnvironment(env, aws, discovered, parts);
    await env.run(...nodeClassControllers(started.deps));
    return started;
  }

  /** A NodeClass that selects the network of the cluster and the image of the emulator, unless its spec says otherwise. */
  add(spec: object = {}, name = 'default'): Promise<EC2NodeClass> {
    return this.env.addNodeClass(name, {
      spec: {
        amiFamily: 'AL2023',
        amiSelectorTerms: [{ id: this.aws.image }],
        subnetSelectorTerms: TAGGED,
        securityGroupSelectorTerms: TAGGED,
        role: 'node',
        ...spec,
      } as unknown as NonNullable<EC2NodeClass['spec']>,
    });
  }

  /** Changes the spec: null removes a field. */
  change(spec: object, name = 'default'): Promise<EC2NodeClass> {
    return this.env.change<EC2NodeClass>(EC2_NODE_CLASSES, name, { spec });
  }

  find(name = 'default'): Promise<EC2NodeClass | undefined> {
    return this.env.find<EC2NodeClass>(EC2_NODE_CLASSES, name);
  }

  async status(name?: string): Promise<NonNullable<EC2NodeClass['status']>> {
    return (await this.find(name))?.status ?? {};
  }

  async condition(type: string, name?: string): Promise<Condition | undefined> {
    return findCondition({ status: await this.status(name) }, type);
  }

  /** Status, reason and message of a condition. */
  async verdict(type: string, name?: string): Promise<readonly (string | undefined)[]> {
    const condition = await this.condition(type, name);
    return [condition?.status, condition?.reason, condition?.message];
  }

  /** Until a condition has that status, or that reason. */
  async until(type: string, wanted: string, name?: string): Promise<void> {
    await this.env.eventually(async () => {
      const condition = await this.condition(type, name);
      return condition?.status === wanted || condition?.reason === wanted;
    });
  }

  /** The log lines of failed passes. */
  failures(): readonly (string | undefined)[] {
    return this.env.logger.lines.filter(({ message }) => message === 'Reconciler error').map(({ error }) => error);
  }
}
