/** The services with an SDK client or one of ours, as `AWS_ENDPOINT_URL_<SERVICE>` names them. */
export type ServiceName = 'EC2' | 'EKS' | 'IAM' | 'SSM' | 'SQS' | 'PRICING' | 'ARC_ZONAL_SHIFT';

/**
 * The address that the environment gives a service instead of AWS' own: AWS_ENDPOINT_URL_<SERVICE>, else
 * AWS_ENDPOINT_URL, as the SDKs have it. Throws, in words for the user, if it is no address.
 */
export function findEndpoint(service: ServiceName, env: NodeJS.ProcessEnv): string | undefined {
  if (env['AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']?.toLowerCase() === 'true') return undefined;
  const variable = env[`AWS_ENDPOINT_URL_${service}`] ? `AWS_ENDPOINT_URL_${service}` : 'AWS_ENDPOINT_URL';
  const endpoint = env[variable];
  if (!endpoint) return undefined;
  const isAddress = URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol);
  if (!isAddress) throw new Error(`${variable} is no address of HTTP: ${endpoint}`);
  return endpoint;
}
