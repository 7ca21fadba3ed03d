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

export async function setUpEc2({ ec2, unique }: ContractContext): Promise<Ec2SetUp> {
  const tag = { Key: 'karpenter.sh/discovery', Value: unique('cluster') };
  const tags = (ResourceType: 'vpc' | 'subnet' | 'security-group'): object => ({
    TagSpecifications: [{ ResourceType, Tags: [tag] }],
  });
  const { Vpc } = await ec2.send(new CreateVpcCommand({ CidrBlock: '10.7.0.0/16', ...tags('vpc') }));
  const vpcId = Vpc!.VpcId!;
  const subnetIds: Record<string, string> = {};
  for (const [index, AvailabilityZone] of ZONES.entries()) {
    const subnet = { VpcId: vpcId, AvailabilityZone, CidrBlock: `10.7.${index}.0/24`, ...tags('subnet') };
    subnetIds[AvailabilityZone] = (await ec2.send(new CreateSubnetCommand(subnet))).Subnet!.SubnetId!;
  }
  const group = { VpcId: vpcId, GroupName: unique('nodes'), Description: 'of nodes', ...tags('security-group') };
  const { GroupId } = await ec2.send(new CreateSecurityGroupCommand(group));
  const imageName = unique('image');
  const { ImageId } = await ec2.send(
    new RegisterImageCommand({
      Name: imageName,
      Architecture: 'x86_64',
      RootDeviceName: '/dev/xvda',
      VirtualizationType: 'hvm',
      BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 8 } }],
    }),
  );
  await ec2.send(new CreateTagsCommand({ Resources: [ImageId!], Tags: [tag] })); // moto drops those of RegisterImage
  return { tag, vpcId, subnetIds, securityGroupId: GroupId!, imageId: ImageId!, imageName };
}

/** A launch template with the image and the group of the case. Returns its name. */
export async function createTemplate(
  { ec2, unique }: ContractContext,
  { imageId, securityGroupId }: Pick<Ec2SetUp, 'imageId' | 'securityGroupId'>,
  data: RequestLaunchTemplateData = {},
): Promise<string> {
  const name = unique('karpenter.k8s.aws/template');
  await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: name,
      LaunchTemplateData: {
        ImageId: imageId,
        NetworkInterfaces: [{ DeviceIndex: 0, Groups: [securityGroupId] }],
        ...data,
      },
    }),
  );
  return name;
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
  const fleet = await aws.ec2.send(new CreateFleetCommand(input));
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
