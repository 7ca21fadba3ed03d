// Loaded only when the provider is used: importing AWS' SDK takes 0.3 s and 100 MB.
import { readFile } from 'node:fs/promises';
import { EC2Client } from '@aws-sdk/client-ec2';
import { EKSClient } from '@aws-sdk/client-eks';
import { IAMClient } from '@aws-sdk/client-iam';
import { PricingClient } from '@aws-sdk/client-pricing';
import { SQSClient } from '@aws-sdk/client-sqs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { fromNodeProviderChain } from '@aws-sdk/credential-providers';
import type { Logger, Metrics, SteadyClock } from '@karpenter-ts/runtime';
import type { AwsCredentialIdentityProvider, Logger as SdkLogger } from '@smithy/types';
import type { AwsApis } from '../api/aws-apis.ts';
import { arcZonalShiftClient } from './arc-zonal-shift-client.ts';
import { type Extensible, measure, parseInSlices, parseInTurns } from './client-middleware.ts';
import { findEndpoint, type ServiceName } from './endpoints.ts';
import { type AwsHttpHandler, HttpHandler } from './http-handler.ts';
import { pricingRegion, regionFromMetadata } from './region.ts';
import { MOST_ATTEMPTS, RetryStrategy } from './retry-strategy.ts';
import { ParsingTurns } from './sliced-parsing.ts';
import { ec2Calls, eksCalls, iamCalls, pricingCalls, sqsCalls, ssmCalls } from './service-calls.ts';

/** What the clients of AWS' services are made from. */
export interface AwsClientSettings {
  /** Region, credentials, endpoints, proxies and certificates are taken from it, profiles from the files it names. */
  readonly env: NodeJS.ProcessEnv;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  /** Of this program, for the user agent. */
  readonly version: string;
  /** Sends the requests, if not over the network: for an AWS in the same process. */
  readonly handler?: AwsHttpHandler | undefined;
  /** Numbers in [0, 1), for the delays of retries; Math.random unless given. */
  readonly random?: (() => number) | undefined;
}

/** The services, in one region. */
export interface AwsClients {
  readonly apis: AwsApis;
  readonly region: string;
  /** Ends the connections. */
  close(): void;
}

/** Clients of all services. Throws, in words for the user, what keeps them from being made. */
export async function createAwsApis(settings: AwsClientSettings): Promise<AwsClients> {
  const { env, clock, metrics, version, random = Math.random } = settings;
  const closing = new AbortController();
  const handler = settings.handler ?? new HttpHandler({ clock, env, ca: await readCaBundle(env) });
  const region = await findRegion(settings, handler);
  const credentials = credentialsOf(env, region, handler);
  const closed = closing.signal;
  const retriesOf = (mostAttempts: number) => new RetryStrategy({ clock, random, mostAttempts, closed });
  const userAgent = `karpenter.sh-${version}`;
  const configOf = (service: ServiceName, mostAttempts = attemptsOf(env)) => ({
    region,
    credentials,
    requestHandler: handler,
    retryStrategy: retriesOf(mostAttempts),
    maxAttempts: mostAttempts,
    customUserAgent: userAgent,
    logger: SILENT,
    ...endpointOf(service, env),
  });
  const turns = new ParsingTurns();
  const extended = <C extends Extensible>(client: C, service: string): C => {
    measure(client, service, { metrics, clock });
    if (service === 'EC2') parseInSlices(client, turns);
    else parseInTurns(client, turns);
    return client;
  };
  const apis: AwsApis = {
    ec2: ec2Calls(extended(new EC2Client(configOf('EC2')), 'EC2'), extended(new EC2Client(configOf('EC2', 1)), 'EC2')),
    eks: eksCalls(extended(new EKSClient(configOf('EKS')), 'EKS')),
    iam: iamCalls(extended(new IAMClient(configOf('IAM')), 'IAM')),
    ssm: ssmCalls(extended(new SSMClient(configOf('SSM')), 'SSM')),
    // Requests go to the service's endpoint, as upstream's do: the host in the URL of a queue knows of no FIPS.
    sqs: sqsCalls(extended(new SQSClient({ ...configOf('SQS'), useQueueUrlAsEndpoint: false }), 'SQS')),
    pricing: pricingCalls(
      extended(new PricingClient({ ...configOf('PRICING'), region: pricingRegion(region) }), 'Pricing'),
    ),
    arcZonalShift: arcZonalShiftClient({
      region,
      endpoint: findEndpoint('ARC_ZONAL_SHIFT', env),
      credentials,
      handler,
      retries: retriesOf(attemptsOf(env)),
      userAgent,
      clock,
      metrics,
    }),
  };
  const close = (): void => {
    closing.abort(new Error('the clients of AWS are closed'));
    handler.destroy?.();
  };
  return { apis, region, close };
}

/** Given a logger, the SDK makes a copy of each answer for it, which takes as long as a tenth of the parsing. */
const SILENT = {} as SdkLogger;

function endpointOf(service: ServiceName, env: NodeJS.ProcessEnv): { readonly endpoint?: string } {
  const endpoint = findEndpoint(service, env);
  return endpoint === undefined ? {} : { endpoint };
}

function attemptsOf(env: NodeJS.ProcessEnv): number {
  const asked = Number(env['AWS_MAX_ATTEMPTS']);
  return Number.isInteger(asked) && asked > 0 ? asked : MOST_ATTEMPTS;
}

async function readCaBundle(env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const file = env['AWS_CA_BUNDLE'];
  if (!file) return undefined;
  let bundle: string;
  try {
    bundle = await readFile(file, 'utf8');
  } catch (cause) {
    throw new Error(`failed to load custom CA bundle PEM file, ${(cause as Error).message}`, { cause });
  }
  // Node takes any text, and trusts nobody then.
  if (!PEM_CERTIFICATE.test(bundle))
    throw new Error(`failed to load custom CA bundle PEM file, no certificate in ${file}`);
  return bundle;
}

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----/;

/** The region that the environment or the shared configuration names, else that of this instance. */
async function findRegion({ env, logger, clock }: AwsClientSettings, handler: AwsHttpHandler): Promise<string> {
  const named = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'] || (await regionOfProfile());
  if (named) return named;
  logger.debug('retrieving region from IMDS');
  try {
    return await regionFromMetadata({ handler, env, clock });
  } catch (cause) {
    throw new Error(`unable to determine region from IMDS: ${(cause as Error).message}`, { cause });
  }
}

/** The SDK reads the profile when a client is asked for its region, and rejects if it names none. */
async function regionOfProfile(): Promise<string | undefined> {
  const client = new EC2Client({});
  try {
    return await client.config.region();
  } catch {
    return undefined;
  } finally {
    client.destroy();
  }
}

/**
 * Keys in the environment, else the SDK's chain: profiles, IRSA, EKS Pod Identity, the instance's role. All clients
 * share one, so that a token is exchanged once.
 */
function credentialsOf(
  env: NodeJS.ProcessEnv,
  region: string,
  requestHandler: AwsHttpHandler,
): AwsCredentialIdentityProvider {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!accessKeyId || !secretAccessKey) return fromNodeProviderChain({ clientConfig: { region, requestHandler } });
  const sessionToken = env['AWS_SESSION_TOKEN'];
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  return () => Promise.resolve(keys);
}
