import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { PricingClient } from '@aws-sdk/client-pricing';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { STSClient } from '@aws-sdk/client-sts';
import type { SdkHandler } from '../sdk-handler.ts';

/** AWS' own clients of the services, for the cases of the contract. */
export interface ContractClients {
  readonly ec2: EC2Client;
  readonly eks: EKSClient;
  readonly iam: IAMClient;
  readonly pricing: PricingClient;
  readonly sqs: SQSClient;
  readonly ssm: SSMClient;
  readonly sts: STSClient;
}

/** Where the clients send their requests. */
export type Destination = { readonly endpoint: string } | { readonly handler: SdkHandler };

export const CONTRACT_REGION = 'us-east-1';
const CREDENTIALS = { accessKeyId: 'AKIACONTRACT', secretAccessKey: 'secret' };

/** They ask once: a refusal is for the case to judge, and the SDK's delays know nothing of virtual time. */
export function contractClients(destination: Destination): ContractClients & { destroy(): void } {
  const settings = {
    region: CONTRACT_REGION,
    credentials: CREDENTIALS,
    maxAttempts: 1,
    ...('endpoint' in destination
      ? { endpoint: destination.endpoint }
      : { endpoint: 'http://aws.invalid', requestHandler: destination.handler as never }),
  };
  const clients = {
    ec2: new EC2Client(settings),
    eks: new EKSClient(settings),
    iam: new IAMClient(settings),
    pricing: new PricingClient(settings),
    sqs: new SQSClient(settings),
    ssm: new SSMClient(settings),
    sts: new STSClient(settings),
  };
  return {
    ...clients,
    destroy: () => {
      for (const client of Object.values(clients)) client.destroy();
    },
  };
}
