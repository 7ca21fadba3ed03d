import {
  DescribeImagesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSubnetsCommand,
  EC2Client,
} from '@aws-sdk/client-ec2';
import { CreateInstanceProfileCommand, IAMClient } from '@aws-sdk/client-iam';
import type { Subject } from '@karpenter-ts/cloudprovider/testing';
import {
  amiOf,
  type ConformanceCloud,
  conformanceSubject,
  ProviderEnvironment,
  REGION,
  trackedConnection,
} from '@karpenter-ts/provider-aws/testing';

type Moto = Pick<ConformanceCloud, 'network' | 'amis' | 'instanceProfile'>;

const PROFILE = 'conformance';
const CREDENTIALS = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };

/** How to put the provider on moto, once for each test: its instances are of a cluster of their own. */
export async function motoSubjects(endpoint: string): Promise<() => Promise<Subject>> {
  const moto = await prepare(endpoint);
  const connect = trackedConnection();
  let subjects = 0;
  return async () => {
    const env = new ProviderEnvironment();
    return conformanceSubject(env, {
      ...moto,
      clusterName: `conformance-${++subjects}`,
      connect: connect(env.clock),
      family: 'AL2', // which needs no EKS
      endpoint,
      stop: () => Promise.resolve(),
    });
  };
}

/** Its default network and two of its images; an instance profile. */
async function prepare(endpoint: string): Promise<Moto> {
  const settings = { region: REGION, endpoint, credentials: CREDENTIALS };
  const ec2 = new EC2Client(settings);
  const iam = new IAMClient(settings);
  await iam.send(new CreateInstanceProfileCommand({ InstanceProfileName: PROFILE }));
  const [{ Subnets = [] }, { SecurityGroups = [] }] = await Promise.all([
    ec2.send(new DescribeSubnetsCommand({ Filters: [{ Name: 'default-for-az', Values: ['true'] }] })),
    ec2.send(new DescribeSecurityGroupsCommand({ Filters: [{ Name: 'group-name', Values: ['default'] }] })),
  ]);
  const images = (['x86_64', 'arm64'] as const).map(async (architecture) => {
    const Filters = [{ Name: 'architecture', Values: [architecture] }];
    const { Images = [] } = await ec2.send(new DescribeImagesCommand({ Filters }));
    return amiOf(Images[0]!.ImageId!, architecture);
  });
  const amis = await Promise.all(images);
  ec2.destroy();
  iam.destroy();
  const subnets = Subnets.map((one) => ({
    id: one.SubnetId!,
    zone: one.AvailabilityZone!,
    zoneID: one.AvailabilityZoneId!,
  }));
  return {
    network: { subnets, securityGroups: [{ id: SecurityGroups[0]!.GroupId! }] },
    amis,
    instanceProfile: PROFILE,
  };
}
