import { sdkHandler } from '@karpenter-ts/aws-emulator';
import type { ConfiguredProvider } from '@karpenter-ts/cloudprovider';
import type { Cluster } from '@karpenter-ts/embedded';
import { awsModule, configureAws } from '@karpenter-ts/provider-aws';
import { createAwsApis } from '@karpenter-ts/provider-aws/parts';
import { defaultsOf } from '@karpenter-ts/runtime';
import type { Cloud } from '../up/cloud.ts';
import { version } from '../version.ts';
import { type AccountSettings, type AwsAccount, startAwsAccount, UNSERVED } from './account.ts';
import { CLUSTER_NAME, QUEUE_NAME } from './names.ts';

/** The endpoint of all services where nobody listens: requests stay in the process. */
const NO_NETWORK = 'http://aws.invalid';

/** An account of AWS in this process, which the cluster is in. */
export async function startAwsCloud(settings: AccountSettings): Promise<Cloud & { readonly account: AwsAccount }> {
  const account = await startAwsAccount(settings);
  return {
    account,
    adopt: account.adopt,
    provider: (cluster) => Promise.resolve(providerOf(account, cluster)),
    priceOf: account.priceOf,
    stop: account.stop,
  };
}

/** The AWS provider with upstream's defaults. It finds the API server and the version of Kubernetes by asking EKS. */
function providerOf({ emulator, env }: AwsAccount, { access }: Cluster): ConfiguredProvider {
  const options = {
    ...defaultsOf(awsModule.options),
    clusterName: CLUSTER_NAME,
    eksControlPlane: true,
    interruptionQueue: QUEUE_NAME,
  };
  const { certificateAuthority } = access ?? UNSERVED;
  const readClusterCa = (): Promise<string> => Promise.resolve(certificateAuthority);
  const process = { env: { AWS_ENDPOINT_URL: NO_NETWORK, ...env }, version: version(), readClusterCa };
  if (emulator.endpoint !== undefined) return configureAws(options, process); // over HTTP, as any controller
  const handler = sdkHandler(emulator) as NonNullable<Parameters<typeof createAwsApis>[0]['handler']>;
  return configureAws(options, process, (settings) => createAwsApis({ ...settings, handler }));
}
