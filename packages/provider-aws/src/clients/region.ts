import { type Clock, SECOND } from '@karpenter-ts/runtime';
import type { AwsHttpHandler } from './http-handler.ts';

/** Where the price list of a region is asked for: it is served in few regions only (spec 07 §10.2). */
export function pricingRegion(region: string): string {
  if (region.startsWith('ap-')) return 'ap-south-1';
  if (region.startsWith('cn-')) return 'cn-northwest-1';
  if (region.startsWith('eu-')) return 'eu-central-1';
  return 'us-east-1';
}

const ENDPOINT = 'http://169.254.169.254';
/** For both requests together. Where there is no metadata service nobody answers at all. */
const TIMEOUT = 10 * SECOND;
const TOKEN_SECONDS = '300';

/**
 * The region of the instance that this process runs on, as its metadata service tells it. Rejects if there is none, or
 * if it does not answer within ten seconds.
 */
export async function regionFromMetadata({ handler, env, clock }: MetadataAccess): Promise<string> {
  if (env['AWS_EC2_METADATA_DISABLED']?.toLowerCase() === 'true') {
    throw new Error(
      'access disabled to EC2 IMDS via client option, or "AWS_EC2_METADATA_DISABLED" environment variable',
    );
  }
  const late = new AbortController();
  const cancel = clock.after(TIMEOUT, () => late.abort(new Error(`no answer within ${TIMEOUT / SECOND}s`)));
  try {
    return await askForRegion(handler, env['AWS_EC2_METADATA_SERVICE_ENDPOINT'] || ENDPOINT, late.signal);
  } finally {
    cancel();
  }
}

export interface MetadataAccess {
  readonly handler: AwsHttpHandler;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
}

async function askForRegion(handler: AwsHttpHandler, endpoint: string, abortSignal: AbortSignal): Promise<string> {
  const { hostname, port, protocol } = new URL(endpoint);
  const ask = async (method: string, path: string, headers: Record<string, string>): Promise<string> => {
    const request = { protocol, hostname, ...(port && { port: Number(port) }), method, path, headers, query: {} };
    const { response } = await handler.handle(request, { abortSignal });
    if (response.statusCode !== 200) throw new Error(`${method} ${path} was answered ${response.statusCode}`);
    return String(response.body);
  };
  const token = await ask('PUT', '/latest/api/token', { 'x-aws-ec2-metadata-token-ttl-seconds': TOKEN_SECONDS });
  const document = await ask('GET', '/latest/dynamic/instance-identity/document', {
    'x-aws-ec2-metadata-token': token,
  });
  const { region } = JSON.parse(document) as { readonly region?: unknown };
  if (typeof region !== 'string' || region === '') throw new Error('the instance identity document names no region');
  return region;
}
