import {
  CreateFleetCommand,
  type CreateFleetCommandInput,
  type CreateFleetCommandOutput,
  CreateLaunchTemplateCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DescribeInstancesCommand,
  type Instance,
  RegisterImageCommand,
  type RequestLaunchTemplateData,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import type { ContractContext } from '../contract-case.ts';

export const ZONES = ['us-east-1a', 'us-east-1b'] as const;

/** The network and the image of a case. */
export interface Ec2SetUp {
  /** On everything, and on nothing else. */
  readonly tag: { readonly Key: string; readonly Value: string };
  readonly vpcId: string;
  /** By zone. */
  readonly subnetIds: Readonly<Record<string, string>>;
  readonly securityGroupId: string;
  readonly imageId: string;
  readonly imageName: string;
}

export async function setUpEc2(aws: ContractContext): Promise<Ec2SetUp> {
  const { ec2, unique } = aws;
  const tag = { Key: 'karpenter.sh/discovery', Value: unique('cluster') };
  const tags = (ResourceType: 'vpc' | 'subnet' | 'security-group'): object => ({
    TagSpecifications: [{ ResourceType, Tags: [tag] }],
  });
  const vpc = { CidrBlock: '10.7.0.0/16', ...tags('vpc') };
  const vpcId = (await patiently(aws, () => ec2.send(new CreateVpcCommand(vpc)))).Vpc!.VpcId!;
  const subnetIds: Record<string, string> = {};
  for (const [index, AvailabilityZone] of ZONES.entries()) {
    const subnet = { VpcId: vpcId, AvailabilityZone, CidrBlock: `10.7.${index}.0/24`, ...tags('subnet') };
    const { Subnet } = await patiently(aws, () => ec2.send(new CreateSubnetCommand(subnet)));
    subnetIds[AvailabilityZone] = Subnet!.SubnetId!;
  }
  const group = { VpcId: vpcId, GroupName: unique('nodes'), Description: 'of nodes', ...tags('security-group') };
  const { GroupId } = await patiently(aws, () => ec2.send(new CreateSecurityGroupCommand(group)));
  const imageName = unique('image');
  const imageId = await registerImage(aws, imageName, tag);
  return { tag, vpcId, subnetIds, securityGroupId: GroupId!, imageId, imageName };
}

async function registerImage(aws: ContractContext, Name: string, tag: Ec2SetUp['tag']): Promise<string> {
  const image = {
    Name,
    Architecture: 'x86_64' as const,
    RootDeviceName: '/dev/xvda',
    VirtualizationType: 'hvm',
    BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 8 } }],
  };
  const { ImageId } = await patiently(aws, () => aws.ec2.send(new RegisterImageCommand(image)));
  // Moto drops the tags of RegisterImage.
  await patiently(aws, () => aws.ec2.send(new CreateTagsCommand({ Resources: [ImageId!], Tags: [tag] })));
  return ImageId!;
}

/** Asks again while EC2 has had too many requests, as many cases have in no time with a virtual clock. */
async function patiently<T>(aws: ContractContext, ask: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error as Error).name !== 'RequestLimitExceeded') throw error;
      await aws.sleep(1000);
    }
  }
}

/** A launch template with the image and the group of the case. Returns its name. */
export async function createTemplate(
  aws: ContractContext,
  { imageId, securityGroupId }: Pick<Ec2SetUp, 'imageId' | 'securityGroupId'>,
  data: RequestLaunchTemplateData = {},
): Promise<string> {
  const LaunchTemplateName = aws.unique('karpenter.k8s.aws/template');
  const NetworkInterfaces = [{ DeviceIndex: 0, Groups: [securityGroupId] }];
  const template = { LaunchTemplateName, LaunchTemplateData: { ImageId: imageId, NetworkInterfaces, ...data } };
  await patiently(aws, () => aws.ec2.send(new CreateLaunchTemplateCommand(template)));
  return LaunchTemplateName;
}

/** As the provider asks for instances. */
export function fleetInput(
  template: string,
  { subnetIds, tag }: Ec2SetUp,
  { count = 1, spot }: { readonly count?: number; readonly spot?: true } = {},
): CreateFleetCommandInput {
  return {
    Type: 'instant',
    TargetCapacitySpecification: {
      TotalTargetCapacity: count,
      DefaultTargetCapacityType: spot === true ? 'spot' : 'on-demand',
    },
    ...(spot === true
      ? { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } }
      : { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }),
    LaunchTemplateConfigs: [
      {
        LaunchTemplateSpecification: { LaunchTemplateName: template, Version: '$Latest' },
        Overrides: ZONES.map((zone) => ({
          InstanceType: 'm5.large' as const,
          SubnetId: subnetIds[zone]!,
          AvailabilityZone: zone,
        })),
      },
    ],
    TagSpecifications: [
      { ResourceType: 'instance', Tags: [tag] },
      { ResourceType: 'volume', Tags: [tag] },
      { ResourceType: 'fleet', Tags: [tag] },
    ],
  };
}

/** Instances that are told of. They are terminated when the case has ended. */
export async function launch(
  aws: ContractContext,
  input: CreateFleetCommandInput,
): Promise<{ readonly ids: readonly string[]; readonly fleet: CreateFleetCommandOutput }> {
  const fleet = await patiently(aws, () => aws.ec2.send(new CreateFleetCommand(input)));
  const ids = (fleet.Instances ?? []).flatMap(({ InstanceIds = [] }) => InstanceIds);
  aws.defer(() => aws.ec2.send(new TerminateInstancesCommand({ InstanceIds: [...ids] })));
  for (const id of ids) await aws.eventually(`EC2 tells of ${id}`, () => findInstance(aws, id));
  return { ids, fleet };
}

/** With a filter, because EC2 lets through more of such requests. Throws what it answers for an instance that there is not. */
export async function findInstance({ ec2 }: ContractContext, id: string): Promise<Instance | undefined> {
  const Filters = [{ Name: 'instance-type', Values: ['m5.large'] }];
  const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [id], Filters }));
  return Reservations?.[0]?.Instances?.[0];
}

/** The code of what the request was refused with; undefined if it was not. */
export async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as Error).name;
  }
}
