import type { ProviderDeps, ProviderParts, ProviderProcess } from '@karpenter-ts/cloudprovider';
import type { AwsApis } from './api/aws-apis.ts';
import { assembleProvider } from './assemble-provider.ts';
import { type AwsClients, type AwsClientSettings, createAwsApis } from './clients/create-aws-apis.ts';
import { Cluster, requireZonalShift } from './cluster/cluster.ts';
import { discoverCluster } from './cluster/discover-cluster.ts';
import { eksVersion, KubernetesVersion, serverVersion } from './cluster/kubernetes-version.ts';
import { DiscoveredTypes } from './instance-types/discovered-types.ts';
import type { AwsOptions } from './options/options.ts';
import { NO_ZONAL_SHIFTS, type RefreshableZonalShifts, ZonalShifts } from './zonal-shift/zonal-shifts.ts';

/** Makes the clients of AWS' services. */
export type ConnectAws = (settings: AwsClientSettings) => Promise<AwsClients>;

export interface StartDeps extends ProviderDeps {
  readonly options: AwsOptions;
  readonly process: ProviderProcess;
  /** `createAwsApis` unless given. */
  readonly connect?: ConnectAws;
}

/** Finds out what cannot wait, and makes the provider. Rejects, in words for the user, if it cannot be had. */
export async function startProvider(deps: StartDeps): Promise<ProviderParts> {
  const { options, process, clock, logger, metrics, random, stopping, connect = createAwsApis } = deps;
  const { env, version } = process;
  const { apis, region, close } = await connect({ env, clock, logger, metrics, version, random });
  stopping.addEventListener('abort', close, { once: true });
  const { readClusterCa } = process;
  const facts = await discoverCluster({ ...deps, apis, region, readClusterCa }, stopping);
  const cluster = new Cluster({ facts, eks: apis.eks, logger, stopping });
  const [zonalShifts, kubernetes, discovered] = await Promise.all([
    findZonalShifts(deps, apis),
    findVersion(deps, apis),
    discoverTypes(deps, apis),
  ]);
  return assembleProvider({ ...deps, options, apis, region, cluster, zonalShifts, kubernetes, discovered });
}

/** Which zones are shifted away from is asked as well, because a launch may come before the controller of that. */
async function findZonalShifts(
  { options, clock, logger, stopping }: StartDeps,
  { eks, arcZonalShift }: AwsApis,
): Promise<RefreshableZonalShifts> {
  if (!options.enableZonalShift) return NO_ZONAL_SHIFTS;
  const clusterArn = await requireZonalShift(options.clusterName, { eks, arcZonalShift, logger }, stopping);
  const shifts = new ZonalShifts({ arcZonalShift, clusterArn, clock, logger });
  await shifts.refresh(stopping);
  return shifts;
}

async function findVersion(
  { options, client, clock, logger, stopping }: StartDeps,
  { eks }: AwsApis,
): Promise<KubernetesVersion> {
  const ask = options.eksControlPlane ? eksVersion(eks, options.clusterName) : serverVersion(client);
  const kubernetes = new KubernetesVersion({ ask, clock, logger });
  await kubernetes.refresh(stopping);
  return kubernetes;
}

async function discoverTypes({ stopping, ...deps }: StartDeps, { ec2 }: AwsApis): Promise<DiscoveredTypes> {
  const discovered = new DiscoveredTypes({ ...deps, ec2 });
  await Promise.all([discovered.refreshTypes(stopping), discovered.refreshOfferings(stopping)]);
  return discovered;
}
