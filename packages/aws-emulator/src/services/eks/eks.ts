import type {
  Cluster,
  CreateClusterRequest,
  CreateClusterResponse,
  DescribeClusterResponse,
  ListClustersResponse,
  UpdateClusterVersionRequest,
  UpdateClusterVersionResponse,
  UpdateParam,
} from '@aws-sdk/client-eks';
import { SECOND } from '../../clock.ts';
import { PerPlace, type Place, partitionOf } from '../../state/place.ts';
import { ApiError } from '../../wire/api-error.ts';
import type { Answer, Call } from '../../wire/operation.ts';
import { restJsonProtocol } from '../../wire/rest-json-protocol.ts';
import type { Service, ServiceDeps } from '../service.ts';
import { describe, type EksCluster, newCluster, type NewEksCluster } from './cluster.ts';

export interface EksLevers {
  /** A cluster that is active from the first. */
  addCluster(cluster: NewEksCluster): Cluster;
  /** Upgrades the control plane, at once. */
  setVersion(cluster: string, version: string): void;
  removeCluster(cluster: string): void;
}

/** How long the control plane of a cluster that a call creates is being made. Ten minutes in AWS. */
const CREATION = 2 * SECOND;

/** The control planes of clusters, as EKS describes them. There is nothing behind the endpoints. */
export function createEks(deps: ServiceDeps): { readonly service: Service; readonly levers: EksLevers } {
  const { clock, place: ownPlace } = deps;
  const places = new PerPlace<Map<string, EksCluster>>(() => new Map());
  const own = places.of(ownPlace);
  const create = (place: Place, cluster: NewEksCluster, delay: number): EksCluster => {
    const clusters = places.of(place);
    if (clusters.has(cluster.name)) throw inUse(cluster.name);
    const created = newCluster(cluster, place, { ...deps, activeAt: clock.now() + delay });
    clusters.set(cluster.name, created);
    return created;
  };
  const service: Service = {
    name: 'eks',
    permissions: (operation, { name }: { readonly name?: string }, { account, region }) => [
      {
        action: `eks:${operation}`,
        resource: `arn:${partitionOf(region)}:eks:${region}:${account}:cluster/${name ?? '*'}`,
        context: {},
      },
    ],
    protocol: restJsonProtocol([
      { method: 'POST', path: '/clusters', operation: 'CreateCluster' },
      { method: 'GET', path: '/clusters', operation: 'ListClusters' },
      { method: 'GET', path: '/clusters/{name}', operation: 'DescribeCluster' },
      { method: 'POST', path: '/clusters/{name}/updates', operation: 'UpdateClusterVersion' },
      { method: 'DELETE', path: '/clusters/{name}', operation: 'DeleteCluster' },
    ]),
    handlers: {
      CreateCluster: (input: CreateClusterRequest, { place }: Call): Answer<CreateClusterResponse> => {
        const created = create(place, checked(input), CREATION);
        return { cluster: describe(created, clock.now()) };
      },

      DescribeCluster: ({ name }: { readonly name: string }, { place }: Call): Answer<DescribeClusterResponse> => ({
        cluster: describe(find(places.of(place), name), clock.now()),
      }),

      ListClusters: (_input: object, { place }: Call): Answer<ListClustersResponse> => ({
        clusters: [...places.of(place).keys()],
      }),

      UpdateClusterVersion: (
        { name = '', version = '' }: UpdateClusterVersionRequest,
        { place }: Call,
      ): Answer<UpdateClusterVersionResponse> => {
        const clusters = places.of(place);
        const cluster = find(clusters, name);
        if (minorOf(version) !== minorOf(cluster.version) + 1) {
          throw invalid(`Unsupported Kubernetes minor version update from ${cluster.version} to ${version}`);
        }
        clusters.set(name, { ...cluster, version });
        const params: UpdateParam[] = [{ type: 'Version', value: version }];
        const createdAt = new Date(clock.now());
        return { update: { id: deps.random.uuid(), status: 'Successful', type: 'VersionUpdate', params, createdAt } };
      },

      DeleteCluster: ({ name }: { readonly name: string }, { place }: Call): Answer<DescribeClusterResponse> => {
        const cluster = find(places.of(place), name);
        places.of(place).delete(name);
        return { cluster: { ...describe(cluster, clock.now()), status: 'DELETING' } };
      },
    },
  };
  const levers: EksLevers = {
    addCluster: (cluster) => describe(create(ownPlace, cluster, 0), clock.now()),
    setVersion: (name, version) => void own.set(name, { ...find(own, name), version }),
    removeCluster: (name) => void own.delete(name),
  };
  return { service, levers };
}

const NAME = /^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$/;

function checked(input: CreateClusterRequest): NewEksCluster {
  const { name = '', version, roleArn, resourcesVpcConfig, kubernetesNetworkConfig, tags } = input;
  if (!NAME.test(name)) throw invalid(`The cluster name doesn't match the pattern ${NAME.source}: ${name}`);
  if (!roleArn) throw invalid('roleArn is required');
  if (resourcesVpcConfig === undefined) throw invalid('resourcesVpcConfig is required');
  const { serviceIpv4Cidr, ipFamily } = kubernetesNetworkConfig ?? {};
  return { name, version, roleArn, resourcesVpcConfig, serviceIpv4Cidr, ipFamily, tags };
}

function find(clusters: ReadonlyMap<string, EksCluster>, name: string): EksCluster {
  const cluster = clusters.get(name);
  if (cluster !== undefined) return cluster;
  throw new ApiError('ResourceNotFoundException', `No cluster found for name: ${name}.`, { status: 404 });
}

/** NaN for what is no version of Kubernetes 1. */
function minorOf(version: string): number {
  return Number(/^1\.(\d+)$/.exec(version)?.[1]);
}

function inUse(name: string): ApiError {
  return new ApiError('ResourceInUseException', `Cluster already exists with name: ${name}`, { status: 409 });
}

function invalid(message: string): ApiError {
  return new ApiError('InvalidParameterException', message);
}
