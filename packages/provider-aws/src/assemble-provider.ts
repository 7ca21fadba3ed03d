import {
  type CloudProvider,
  meteredProvider,
  type ProviderDeps,
  type ProviderParts,
} from '@karpenter-ts/cloudprovider';
import { type Controller, MINUTE } from '@karpenter-ts/runtime';
import type { AwsApis } from './api/aws-apis.ts';
import { AwsProvider } from './aws-provider.ts';
import { BatchedEc2 } from './batching/batched-ec2.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { KubernetesVersion } from './cluster/kubernetes-version.ts';
import { capacityDiscovery } from './controllers/capacity-discovery.ts';
import { instanceControllers } from './controllers/instance-controllers.ts';
import { instanceTypeDiscovery } from './controllers/instance-type-discovery.ts';
import { interruptionController } from './controllers/interruption.ts';
import { kubernetesVersionController } from './controllers/kubernetes-version.ts';
import { nodeClassControllers } from './controllers/node-class-controllers.ts';
import { launchTemplateExpiration } from './controllers/launch-template-expiration.ts';
import { offeringMetrics } from './controllers/offering-metrics.ts';
import { priceRefresh } from './controllers/price-refresh.ts';
import { ssmInvalidationController } from './controllers/ssm-invalidation.ts';
import { SsmParameters } from './images/ssm-parameters.ts';
import { DiscoveredMemory } from './instance-types/discovered-memory.ts';
import type { DiscoveredTypes } from './instance-types/discovered-types.ts';
import { Instances } from './instances/instances.ts';
import { LaunchedNodeClaims } from './instances/launched-node-claims.ts';
import { NodeClaimsByInstance } from './instances/node-claims-by-instance.ts';
import { LaunchTemplates } from './launch/launch-templates.ts';
import { NodeClaimLauncher } from './launch/node-claim-launcher.ts';
import { SubnetAddressBook } from './network/subnet-address-book.ts';
import { EC2_NODE_CLASSES, NodeClassLookup } from './node-class/node-class-lookup.ts';
import { createInstanceTypes } from './offerings/create-instance-types.ts';
import { NO_OVERLAY_PRICES, OverlayPrices } from './offerings/overlay-prices.ts';
import { UnavailableOfferings } from './offerings/unavailable-offerings.ts';
import type { AwsOptions } from './options/options.ts';
import { PlacementGroups } from './placement/placement-groups.ts';
import { Prices } from './pricing/prices.ts';
import { CapacityReservations } from './reservations/capacity-reservations.ts';
import { ReservationCounts } from './reservations/reservation-counts.ts';
import type { RefreshableZonalShifts } from './zonal-shift/zonal-shifts.ts';

/** What was found out at the start, beside what every provider gets. */
export interface AssemblyDeps extends ProviderDeps {
  readonly options: AwsOptions;
  readonly apis: AwsApis;
  readonly region: string;
  readonly cluster: Cluster;
  readonly zonalShifts: RefreshableZonalShifts;
  readonly kubernetes: KubernetesVersion;
  readonly discovered: DiscoveredTypes;
}

/** Puts the parts together. Nothing runs, and nothing is asked of AWS, before they are used. */
export function assembleProvider(deps: AssemblyDeps): ProviderParts {
  const knowledge = whatIsKnown(deps);
  const parts = createProvider(deps, knowledge);
  return { provider: parts.provider, controllers: controllersOf(deps, knowledge, parts) };
}

type Knowledge = ReturnType<typeof whatIsKnown>;

/** What several parts know of AWS and of the NodeClasses, each learning from the others. */
function whatIsKnown(deps: AssemblyDeps) {
  const { apis, options, settings, region, zonalShifts, caches, clock } = deps;
  const reservations = new ReservationCounts(clock);
  const known = {
    ...deps,
    ec2: apis.ec2,
    iam: apis.iam,
    nodeClasses: new NodeClassLookup({ cache: caches.nodeClasses.of(EC2_NODE_CLASSES), events: deps.events }),
    placementGroups: new PlacementGroups({ ...deps, ec2: apis.ec2 }),
    prices: new Prices({ ...deps, ...apis, isolatedVpc: options.isolatedVpc }),
    overlayPrices: settings.nodeOverlay ? new OverlayPrices(deps) : NO_OVERLAY_PRICES,
    unavailable: new UnavailableOfferings(deps),
    reservations,
    capacityReservations: new CapacityReservations({ ...deps, ec2: apis.ec2, counts: reservations }),
    parameters: new SsmParameters({ ...deps, ssm: apis.ssm }),
    memory: new DiscoveredMemory(deps),
    addresses: new SubnetAddressBook(clock, addressLifetime(options.subnetRefreshInterval)),
    zonalShift: zonalShifts,
    reservedCapacity: settings.reservedCapacity,
  };
  return { ...known, instanceTypes: createInstanceTypes({ ...known, options: { ...options, region } }) };
}

/** What EC2 said of a subnet counts until it has had a few chances to say it again (spec 08 §4). */
function addressLifetime(refreshInterval: number): number {
  return Math.max(5 * MINUTE, refreshInterval + 4 * MINUTE);
}

type ProviderAndParts = ReturnType<typeof createProvider>;

function createProvider(deps: AssemblyDeps, known: Knowledge) {
  const { options, caches, settings } = deps;
  const { nodePools } = caches;
  const { clusterName } = options;
  const batched = new BatchedEc2(known);
  const instances = new Instances({ ...known, batched, zonalShifts: deps.zonalShifts, clusterName, settings });
  const templates = new LaunchTemplates({ ...known, clusterName });
  const { minValuesPolicy } = settings;
  const provider = new AwsProvider({
    ...known,
    nodePools,
    instances,
    launcher: new NodeClaimLauncher({ ...known, ec2: batched, templates, minValuesPolicy }),
    launched: new LaunchedNodeClaims({ ...known, instances, nodePools }),
  });
  return { provider, templates, instances };
}

function controllersOf(deps: AssemblyDeps, known: Knowledge, parts: ProviderAndParts): readonly Controller[] {
  const { provider, instances, templates } = parts;
  const { clusterName, interruptionQueue: queueName } = deps.options;
  const nodeClaims = new NodeClaimsByInstance(deps.caches.nodeClaims);
  return [
    ...catalogueControllers(deps, known, provider),
    ssmInvalidationController(known),
    kubernetesVersionController(deps.kubernetes),
    launchTemplateExpiration({ templates }),
    ...nodeClassControllers({ ...known, templates }),
    ...instanceControllers({
      ...known,
      provider,
      instances,
      nodeClaims,
      reservations: known.capacityReservations,
      clusterName,
    }),
    ...(queueName === '' ? [] : [interruptionController({ ...known, nodeClaims, sqs: deps.apis.sqs, queueName })]),
  ];
}

/** What can be bought, and what it costs. */
function catalogueControllers(deps: AssemblyDeps, known: Knowledge, provider: CloudProvider): readonly Controller[] {
  const { caches, discovered } = deps;
  const metered = meteredProvider(provider, { ...deps, controller: 'cloudprovider.metrics' });
  const instanceTypes = metered.instanceTypes.bind(metered);
  return [
    priceRefresh(known),
    instanceTypeDiscovery(discovered),
    capacityDiscovery({ ...caches, memory: known.memory, nodeClasses: caches.nodeClasses.of(EC2_NODE_CLASSES) }),
    offeringMetrics({ ...known, ...caches, instanceTypes }),
  ];
}
