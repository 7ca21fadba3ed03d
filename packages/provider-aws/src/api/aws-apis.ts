// What the provider asks of AWS: one function for each call, with the input and the output of AWS' own SDK. The SDK
// itself is behind `clients/`, which is loaded only when the provider is used; everything else imports its types alone.
import type {
  CreateFleetCommandInput,
  CreateFleetCommandOutput,
  CreateLaunchTemplateCommandInput,
  CreateLaunchTemplateCommandOutput,
  CreateTagsCommandInput,
  CreateTagsCommandOutput,
  DeleteLaunchTemplateCommandInput,
  DeleteLaunchTemplateCommandOutput,
  DescribeCapacityReservationsCommandInput,
  DescribeCapacityReservationsCommandOutput,
  DescribeImagesCommandInput,
  DescribeImagesCommandOutput,
  DescribeInstancesCommandInput,
  DescribeInstancesCommandOutput,
  DescribeInstanceStatusCommandInput,
  DescribeInstanceStatusCommandOutput,
  DescribeInstanceTypeOfferingsCommandInput,
  DescribeInstanceTypeOfferingsCommandOutput,
  DescribeInstanceTypesCommandInput,
  DescribeInstanceTypesCommandOutput,
  DescribeLaunchTemplatesCommandInput,
  DescribeLaunchTemplatesCommandOutput,
  DescribePlacementGroupsCommandInput,
  DescribePlacementGroupsCommandOutput,
  DescribeSecurityGroupsCommandInput,
  DescribeSecurityGroupsCommandOutput,
  DescribeSpotPriceHistoryCommandInput,
  DescribeSpotPriceHistoryCommandOutput,
  DescribeSubnetsCommandInput,
  DescribeSubnetsCommandOutput,
  RunInstancesCommandInput,
  RunInstancesCommandOutput,
  TerminateInstancesCommandInput,
  TerminateInstancesCommandOutput,
} from '@aws-sdk/client-ec2';
import type { DescribeClusterCommandInput, DescribeClusterCommandOutput } from '@aws-sdk/client-eks';
import type {
  AddRoleToInstanceProfileCommandInput,
  AddRoleToInstanceProfileCommandOutput,
  CreateInstanceProfileCommandInput,
  CreateInstanceProfileCommandOutput,
  DeleteInstanceProfileCommandInput,
  DeleteInstanceProfileCommandOutput,
  GetInstanceProfileCommandInput,
  GetInstanceProfileCommandOutput,
  ListInstanceProfilesCommandInput,
  ListInstanceProfilesCommandOutput,
  RemoveRoleFromInstanceProfileCommandInput,
  RemoveRoleFromInstanceProfileCommandOutput,
} from '@aws-sdk/client-iam';
import type { GetProductsCommandInput, GetProductsCommandOutput } from '@aws-sdk/client-pricing';
import type {
  DeleteMessageCommandInput,
  DeleteMessageCommandOutput,
  GetQueueUrlCommandInput,
  GetQueueUrlCommandOutput,
  ReceiveMessageCommandInput,
  ReceiveMessageCommandOutput,
} from '@aws-sdk/client-sqs';
import type { GetParameterCommandInput, GetParameterCommandOutput } from '@aws-sdk/client-ssm';

/** One call. It rejects with an AwsError when AWS refuses, and as soon as the signal is aborted. */
export type AwsCall<Input, Output> = (input: Input, signal: AbortSignal) => Promise<Output>;

/** EC2: what can be bought, where, and what has been bought. */
export interface Ec2Api {
  readonly describeInstanceTypes: AwsCall<DescribeInstanceTypesCommandInput, DescribeInstanceTypesCommandOutput>;
  readonly describeInstanceTypeOfferings: AwsCall<
    DescribeInstanceTypeOfferingsCommandInput,
    DescribeInstanceTypeOfferingsCommandOutput
  >;
  readonly describeSpotPriceHistory: AwsCall<
    DescribeSpotPriceHistoryCommandInput,
    DescribeSpotPriceHistoryCommandOutput
  >;
  readonly describeSubnets: AwsCall<DescribeSubnetsCommandInput, DescribeSubnetsCommandOutput>;
  readonly describeSecurityGroups: AwsCall<DescribeSecurityGroupsCommandInput, DescribeSecurityGroupsCommandOutput>;
  readonly describeImages: AwsCall<DescribeImagesCommandInput, DescribeImagesCommandOutput>;
  readonly describeCapacityReservations: AwsCall<
    DescribeCapacityReservationsCommandInput,
    DescribeCapacityReservationsCommandOutput
  >;
  readonly describePlacementGroups: AwsCall<DescribePlacementGroupsCommandInput, DescribePlacementGroupsCommandOutput>;
  readonly describeLaunchTemplates: AwsCall<DescribeLaunchTemplatesCommandInput, DescribeLaunchTemplatesCommandOutput>;
  readonly createLaunchTemplate: AwsCall<CreateLaunchTemplateCommandInput, CreateLaunchTemplateCommandOutput>;
  readonly deleteLaunchTemplate: AwsCall<DeleteLaunchTemplateCommandInput, DeleteLaunchTemplateCommandOutput>;
  readonly createFleet: AwsCall<CreateFleetCommandInput, CreateFleetCommandOutput>;
  readonly runInstances: AwsCall<RunInstancesCommandInput, RunInstancesCommandOutput>;
  readonly describeInstances: AwsCall<DescribeInstancesCommandInput, DescribeInstancesCommandOutput>;
  readonly describeInstanceStatus: AwsCall<DescribeInstanceStatusCommandInput, DescribeInstanceStatusCommandOutput>;
  readonly terminateInstances: AwsCall<TerminateInstancesCommandInput, TerminateInstancesCommandOutput>;
  readonly createTags: AwsCall<CreateTagsCommandInput, CreateTagsCommandOutput>;
}

/** EKS: the cluster's endpoint, version and service addresses. */
export interface EksApi {
  readonly describeCluster: AwsCall<DescribeClusterCommandInput, DescribeClusterCommandOutput>;
}

/** Instance profiles, through which instances have their role. */
export interface IamApi {
  readonly getInstanceProfile: AwsCall<GetInstanceProfileCommandInput, GetInstanceProfileCommandOutput>;
  readonly createInstanceProfile: AwsCall<CreateInstanceProfileCommandInput, CreateInstanceProfileCommandOutput>;
  readonly deleteInstanceProfile: AwsCall<DeleteInstanceProfileCommandInput, DeleteInstanceProfileCommandOutput>;
  readonly addRoleToInstanceProfile: AwsCall<
    AddRoleToInstanceProfileCommandInput,
    AddRoleToInstanceProfileCommandOutput
  >;
  readonly removeRoleFromInstanceProfile: AwsCall<
    RemoveRoleFromInstanceProfileCommandInput,
    RemoveRoleFromInstanceProfileCommandOutput
  >;
  readonly listInstanceProfiles: AwsCall<ListInstanceProfilesCommandInput, ListInstanceProfilesCommandOutput>;
}

/** SSM parameters name the images that AWS recommends. */
export interface SsmApi {
  readonly getParameter: AwsCall<GetParameterCommandInput, GetParameterCommandOutput>;
}

/** The queue of interruption messages. */
export interface SqsApi {
  readonly getQueueUrl: AwsCall<GetQueueUrlCommandInput, GetQueueUrlCommandOutput>;
  readonly receiveMessage: AwsCall<ReceiveMessageCommandInput, ReceiveMessageCommandOutput>;
  readonly deleteMessage: AwsCall<DeleteMessageCommandInput, DeleteMessageCommandOutput>;
}

/** The price list of on-demand instances. */
export interface PricingApi {
  readonly getProducts: AwsCall<GetProductsCommandInput, GetProductsCommandOutput>;
}

/** ARC: traffic shifted away from zones. Its SDK client is not in every registry, so the shapes are our own. */
export interface ArcZonalShiftApi {
  readonly getManagedResource: AwsCall<{ readonly resourceIdentifier: string }, ManagedResource>;
}

/** A resource whose traffic ARC can shift, with the shifts in force. */
export interface ManagedResource {
  readonly arn?: string | undefined;
  readonly name?: string | undefined;
  readonly zonalShifts?: readonly ZonalShiftInResource[] | undefined;
}

/** A shift away from a zone. */
export interface ZonalShiftInResource {
  /** The id of the zone, such as use1-az1. */
  readonly awayFrom?: string | undefined;
  readonly expiryTime?: Date | undefined;
  readonly appliedStatus?: string | undefined;
}

/** All services that the provider uses. */
export interface AwsApis {
  readonly ec2: Ec2Api;
  readonly eks: EksApi;
  readonly iam: IamApi;
  readonly ssm: SsmApi;
  readonly sqs: SqsApi;
  readonly pricing: PricingApi;
  readonly arcZonalShift: ArcZonalShiftApi;
}
