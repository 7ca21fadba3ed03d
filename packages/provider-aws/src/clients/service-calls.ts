import {
  CreateFleetCommand,
  CreateLaunchTemplateCommand,
  CreateTagsCommand,
  DeleteLaunchTemplateCommand,
  DescribeCapacityReservationsCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeInstanceStatusCommand,
  DescribeInstanceTypeOfferingsCommand,
  DescribeInstanceTypesCommand,
  DescribeLaunchTemplatesCommand,
  DescribePlacementGroupsCommand,
  DescribeSecurityGroupsCommand,
  DescribeSpotPriceHistoryCommand,
  DescribeSubnetsCommand,
  type EC2Client,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from '@aws-sdk/client-ec2';
import { DescribeClusterCommand, type EKSClient } from '@aws-sdk/client-eks';
import {
  AddRoleToInstanceProfileCommand,
  CreateInstanceProfileCommand,
  DeleteInstanceProfileCommand,
  GetInstanceProfileCommand,
  type IAMClient,
  ListInstanceProfilesCommand,
  RemoveRoleFromInstanceProfileCommand,
} from '@aws-sdk/client-iam';
import { GetProductsCommand, type PricingClient } from '@aws-sdk/client-pricing';
import { DeleteMessageCommand, GetQueueUrlCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, type SSMClient } from '@aws-sdk/client-ssm';
import { unlessAborted } from '@karpenter-ts/runtime';
import type { AwsCall, Ec2Api, EksApi, IamApi, PricingApi, SqsApi, SsmApi } from '../api/aws-apis.ts';
import { toCallError } from './service-errors.ts';

/**
 * EC2. The dry runs that validate a NodeClass are made with `untried`, which asks once only: they are many, and a
 * refusal is their usual answer (spec 07 §1).
 */
export function ec2Calls(client: EC2Client, untried: EC2Client): Ec2Api {
  const of = caller('EC2', client);
  const once = caller('EC2', untried);
  return {
    describeInstanceTypes: of(DescribeInstanceTypesCommand),
    describeInstanceTypeOfferings: of(DescribeInstanceTypeOfferingsCommand),
    describeSpotPriceHistory: of(DescribeSpotPriceHistoryCommand),
    describeSubnets: of(DescribeSubnetsCommand),
    describeSecurityGroups: of(DescribeSecurityGroupsCommand),
    describeImages: of(DescribeImagesCommand),
    describeCapacityReservations: of(DescribeCapacityReservationsCommand),
    describePlacementGroups: of(DescribePlacementGroupsCommand),
    describeLaunchTemplates: of(DescribeLaunchTemplatesCommand),
    createLaunchTemplate: of(CreateLaunchTemplateCommand),
    deleteLaunchTemplate: of(DeleteLaunchTemplateCommand),
    createFleet: unlessDryRun(of(CreateFleetCommand), once(CreateFleetCommand)),
    runInstances: unlessDryRun(of(RunInstancesCommand), once(RunInstancesCommand)),
    describeInstances: of(DescribeInstancesCommand),
    describeInstanceStatus: of(DescribeInstanceStatusCommand),
    terminateInstances: of(TerminateInstancesCommand),
    createTags: of(CreateTagsCommand),
  };
}

export function eksCalls(client: EKSClient): EksApi {
  return { describeCluster: caller('EKS', client)(DescribeClusterCommand) };
}

export function iamCalls(client: IAMClient): IamApi {
  const of = caller('IAM', client);
  return {
    getInstanceProfile: of(GetInstanceProfileCommand),
    createInstanceProfile: of(CreateInstanceProfileCommand),
    deleteInstanceProfile: of(DeleteInstanceProfileCommand),
    addRoleToInstanceProfile: of(AddRoleToInstanceProfileCommand),
    removeRoleFromInstanceProfile: of(RemoveRoleFromInstanceProfileCommand),
    listInstanceProfiles: of(ListInstanceProfilesCommand),
  };
}

export function ssmCalls(client: SSMClient): SsmApi {
  return { getParameter: caller('SSM', client)(GetParameterCommand) };
}

export function sqsCalls(client: SQSClient): SqsApi {
  const of = caller('SQS', client);
  return {
    getQueueUrl: of(GetQueueUrlCommand),
    receiveMessage: of(ReceiveMessageCommand),
    deleteMessage: of(DeleteMessageCommand),
  };
}

export function pricingCalls(client: PricingClient): PricingApi {
  return { getProducts: caller('Pricing', client)(GetProductsCommand) };
}

/** Hides which of the many overloads of `send` is meant: each command belongs to the client it is sent with. */
interface Sender {
  readonly send: (command: never, options: { readonly abortSignal: AbortSignal }) => Promise<unknown>;
}

/** A command of the SDK. Its type carries those of the input and the output. */
interface CommandClass<Input, Output> {
  new (
    input: Input,
  ): {
    readonly input: Input;
    resolveMiddleware(...args: never[]): (input: never) => Promise<{ readonly output: Output }>;
  };
}

function caller(service: string, client: object) {
  const { send } = client as Sender;
  return <Input, Output extends object>(Command: CommandClass<Input, Output>): AwsCall<Input, Output> => {
    const operation = Command.name.replace(/Command$/, '');
    return async (input, signal) => {
      signal.throwIfAborted();
      try {
        const answer = send.call(client, new Command(input) as never, { abortSignal: signal });
        return (await unlessAborted(answer, signal)) as Output;
      } catch (error) {
        throw signal.aborted ? signal.reason : toCallError(error, { service, operation });
      }
    };
  };
}

function unlessDryRun<Input extends { readonly DryRun?: boolean | undefined }, Output>(
  call: AwsCall<Input, Output>,
  dryRun: AwsCall<Input, Output>,
): AwsCall<Input, Output> {
  return (input, signal) => (input.DryRun === true ? dryRun : call)(input, signal);
}
