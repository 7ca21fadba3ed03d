import type { PermissionRequest } from '@karpenter-ts/aws-emulator/policies';

/** What a policy is for, as far as it says so. */
export interface PolicyPlace {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly clusterName: string;
  /** ARNs. */
  readonly nodeRole: string;
  readonly queue: string;
  /** What roles of instances are handed on to. */
  readonly ec2Service: string;
}

/** Something that the controller does in AWS. */
export interface Capability {
  readonly name: string;
  /** What makes the controller do it; undefined if it always does. */
  readonly when: string | undefined;
  readonly needs: readonly Need[];
}

/** One permission, and the statement of ours that grants it. */
export interface Need {
  readonly request: PermissionRequest;
  /** A file of `deploy/aws/iam`. */
  readonly file: string;
  readonly statement: string;
}

const DISCOVERY = 'controller-discovery.json';
const LIFECYCLE = 'controller-node-lifecycle.json';
const PROFILES = 'controller-instance-profiles.json';

/** All that the controller does, with a request for each permission that it needs there. */
export function capabilitiesAt(place: PolicyPlace): readonly Capability[] {
  const always = (name: string, ...needs: readonly (readonly Need[])[]) => capability(name, undefined, needs);
  const optional = (name: string, when: string, ...needs: readonly (readonly Need[])[]) =>
    capability(name, when, needs);
  const describe = (...calls: readonly string[]) =>
    calls.map((call) => need(DISCOVERY, 'ReadRegion', `ec2:Describe${call}`, '*', regional(place)));
  return [
    always('finding instance types', describe('InstanceTypes', 'InstanceTypeOfferings')),
    always('prices', describe('SpotPriceHistory'), [need(DISCOVERY, 'ReadPrices', 'pricing:GetProducts', '*')]),
    always('finding the cluster', [need(DISCOVERY, 'ReadCluster', 'eks:DescribeCluster', clusterArn(place))]),
    always('selecting subnets, security groups and images', describe('Subnets', 'SecurityGroups', 'Images')),
    always('images by alias', [need(DISCOVERY, 'ReadParametersOfImages', 'ssm:GetParameter', parameterArn(place))]),
    always('finding instances', describe('Instances')),
    always('noticing unhealthy instances', describe('InstanceStatus')),
    always('capacity reservations', describe('CapacityReservations')),
    always('launching instances', launching(place, 'fleet', 'instance', 'volume', 'network-interface'), passing(place)),
    always('launch templates', describe('LaunchTemplates'), templates(place)),
    always('tagging instances with their names', tagging(place)),
    always('terminating instances', [deleting(place, 'TerminateInstances', 'instance')]),
    always('instance profiles for spec.role', profiles(place)),
    optional('spot instances', 'a NodePool allows spot', launching(place, 'spot-instances-request')),
    optional(
      'launching into capacity reservations',
      'a NodePool allows reserved capacity',
      using(place, 'capacity-reservation'),
    ),
    optional(
      'placement groups',
      'an EC2NodeClass has a placementGroupSelector',
      describe('PlacementGroups'),
      using(place, 'placement-group'),
    ),
    optional('interruption messages', '--interruption-queue is set', queue(place)),
    optional('zonal shift', '--enable-zonal-shift is set', [
      need('controller-zonal-shift.json', 'ReadZonalShifts', 'arc-zonal-shift:GetManagedResource', clusterArn(place)),
    ]),
  ];
}

function capability(name: string, when: string | undefined, needs: readonly (readonly Need[])[]): Capability {
  return { name, when, needs: needs.flat() };
}

function need(
  file: string,
  statement: string,
  action: string,
  resource: string,
  context: PermissionRequest['context'] = {},
): Need {
  return { file, statement, request: { action, resource, context } };
}

function regional({ region }: PolicyPlace): PermissionRequest['context'] {
  return { 'aws:RequestedRegion': region };
}

function clusterArn({ partition, region, account, clusterName }: PolicyPlace): string {
  return `arn:${partition}:eks:${region}:${account}:cluster/${clusterName}`;
}

function parameterArn({ partition, region }: PolicyPlace): string {
  return `arn:${partition}:ssm:${region}::parameter/aws/service/eks/optimized-ami`;
}

const WITHOUT_ACCOUNT: ReadonlySet<string> = new Set(['image', 'snapshot']);

function ec2Arn({ partition, region, account }: PolicyPlace, type: string): string {
  return `arn:${partition}:ec2:${region}:${WITHOUT_ACCOUNT.has(type) ? '' : account}:${type}/*`;
}

/** The tags of everything that a launch creates. */
function launchTags({ clusterName }: PolicyPlace): Readonly<Record<string, string>> {
  return {
    [`kubernetes.io/cluster/${clusterName}`]: 'owned',
    'eks:eks-cluster-name': clusterName,
    'karpenter.sh/nodepool': 'default',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
  };
}

function tagsAs(
  kind: 'RequestTag' | 'ResourceTag',
  tags: Readonly<Record<string, string>>,
): PermissionRequest['context'] {
  return Object.fromEntries(Object.entries(tags).map(([key, value]) => [`aws:${kind}/${key}`, value]));
}

/** Of what is created with tags: their values and their keys. */
function created(place: PolicyPlace): PermissionRequest['context'] {
  const tags = launchTags(place);
  return { ...regional(place), ...tagsAs('RequestTag', tags), 'aws:TagKeys': Object.keys(tags) };
}

/** Of what has been created: its tags. */
function ours(place: PolicyPlace): PermissionRequest['context'] {
  return { ...regional(place), ...tagsAs('ResourceTag', launchTags(place)) };
}

const USED: readonly string[] = ['image', 'snapshot', 'security-group', 'subnet'];

/** What a launch needs: the calls on all that it uses and creates, and the tags on what it creates. */
function launching(place: PolicyPlace, ...types: readonly string[]): readonly Need[] {
  return [
    ...(types.includes('instance') ? using(place, ...USED) : []),
    ...types.flatMap((type) => {
      const resource = ec2Arn(place, type);
      const calls = type === 'fleet' ? ['CreateFleet'] : ['CreateFleet', 'RunInstances'];
      const tagged = {
        ...created(place),
        'ec2:CreateAction': type === 'fleet' ? 'CreateFleet' : 'RunInstances',
      };
      return [
        ...calls.map((call) => need(LIFECYCLE, 'LaunchWithTagsOfCluster', `ec2:${call}`, resource, created(place))),
        need(LIFECYCLE, 'TagAtLaunch', 'ec2:CreateTags', resource, tagged),
      ];
    }),
  ];
}

function using(place: PolicyPlace, ...types: readonly string[]): readonly Need[] {
  return types.flatMap((type) =>
    ['CreateFleet', 'RunInstances'].map((call) =>
      need(LIFECYCLE, 'UseWhatInstancesAreMadeOf', `ec2:${call}`, ec2Arn(place, type), regional(place)),
    ),
  );
}

function passing(place: PolicyPlace): readonly Need[] {
  return [need(PROFILES, 'PassNodeRole', 'iam:PassRole', place.nodeRole, { 'iam:PassedToService': place.ec2Service })];
}

function templates(place: PolicyPlace): readonly Need[] {
  const resource = ec2Arn(place, 'launch-template');
  const tagged = { ...created(place), 'ec2:CreateAction': 'CreateLaunchTemplate' };
  return [
    need(LIFECYCLE, 'LaunchWithTagsOfCluster', 'ec2:CreateLaunchTemplate', resource, created(place)),
    need(LIFECYCLE, 'TagAtLaunch', 'ec2:CreateTags', resource, tagged),
    ...['CreateFleet', 'RunInstances'].map((call) =>
      need(LIFECYCLE, 'UseOwnLaunchTemplates', `ec2:${call}`, resource, ours(place)),
    ),
    deleting(place, 'DeleteLaunchTemplate', 'launch-template'),
  ];
}

function tagging(place: PolicyPlace): readonly Need[] {
  const added = { Name: 'node', 'karpenter.sh/nodeclaim': 'default-1', 'eks:eks-cluster-name': place.clusterName };
  return Object.entries(added).map(([key, value]) => {
    const context = { ...ours(place), ...tagsAs('RequestTag', { [key]: value }), 'aws:TagKeys': [key] };
    return need(LIFECYCLE, 'TagOwnInstancesLater', 'ec2:CreateTags', ec2Arn(place, 'instance'), context);
  });
}

function deleting(place: PolicyPlace, call: string, type: string): Need {
  return need(LIFECYCLE, 'DeleteOwn', `ec2:${call}`, ec2Arn(place, type), ours(place));
}

function profiles(place: PolicyPlace): readonly Need[] {
  const { partition, account, clusterName, region } = place;
  const resource = `arn:${partition}:iam::${account}:instance-profile/karpenter/${region}/${clusterName}/uid/name`;
  const tags = {
    [`kubernetes.io/cluster/${clusterName}`]: 'owned',
    'eks:eks-cluster-name': clusterName,
    'karpenter.k8s.aws/ec2nodeclass': 'default',
    'topology.kubernetes.io/region': region,
  };
  const [asked, had] = [tagsAs('RequestTag', tags), tagsAs('ResourceTag', tags)];
  return [
    need(PROFILES, 'CreateInstanceProfiles', 'iam:CreateInstanceProfile', resource, asked),
    need(PROFILES, 'TagOwnInstanceProfiles', 'iam:TagInstanceProfile', resource, { ...asked, ...had }),
    ...['AddRoleTo', 'RemoveRoleFrom', 'Delete'].map((change) =>
      need(PROFILES, 'ChangeOwnInstanceProfiles', `iam:${change}InstanceProfile`, resource, had),
    ),
    need(PROFILES, 'ReadInstanceProfiles', 'iam:GetInstanceProfile', resource, had),
    need(
      PROFILES,
      'ListInstanceProfiles',
      'iam:ListInstanceProfiles',
      `arn:${partition}:iam::${account}:instance-profile/*`,
    ),
  ];
}

function queue({ queue: resource }: PolicyPlace): readonly Need[] {
  return ['GetQueueUrl', 'ReceiveMessage', 'DeleteMessage'].map((call) =>
    need('controller-interruption.json', 'ReadInterruptionQueue', `sqs:${call}`, resource),
  );
}
