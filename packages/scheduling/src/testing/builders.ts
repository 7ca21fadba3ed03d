// Small objects for tests: each with what the planner needs and the test is about.
import {
  CAPACITY_TYPE_LABEL,
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  NODEPOOL_LABEL,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod, PodSpec, ResourceList } from '@karpenter-ts/kubernetes';
import type { ExistingNode, InstanceType, Offering, Overhead } from '../snapshot.ts';

type Labels = Readonly<Record<string, string>>;

interface PodParts extends PodSpec {
  readonly labels?: Labels;
  readonly requests?: ResourceList;
  readonly namespace?: string;
}

/** A pod of one container. */
export function makePod(
  name: string,
  { labels = {}, requests = {}, namespace = 'default', ...spec }: PodParts = {},
): Pod {
  return {
    metadata: { name, namespace, uid: `${namespace}-${name}`, labels },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...spec },
  };
}

interface PoolParts extends Partial<Omit<NodePool['spec'], 'template'>>, Partial<NodePool['spec']['template']['spec']> {
  readonly labels?: Labels;
}

/** A dynamic pool, open to all its types. */
export function makePool(name: string, parts: PoolParts = {}): NodePool {
  const { labels = {}, limits, weight, requirements = [], taints = [] } = parts;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      disruption: {
        budgets: [{ nodes: '10%' }],
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
      },
      ...(limits && { limits }),
      ...(weight && { weight }),
      template: {
        metadata: { labels },
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements,
          taints,
          expireAfter: 'Never',
        },
      },
    },
  };
}

interface TypeParts {
  readonly capacity: ResourceList;
  readonly offerings: readonly Offering[];
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  readonly overhead?: Overhead;
}

/** An instance type, without overhead if none is given; zones and capacity types are those of its offerings. */
export function makeType(name: string, { capacity, offerings, labels = {}, overhead = {} }: TypeParts): InstanceType {
  const offered = (key: string): readonly string[] => [
    ...new Set(offerings.flatMap(({ requirements }) => requirements.find((one) => one.key === key)?.values ?? [])),
  ];
  const values = {
    [INSTANCE_TYPE_LABEL]: [name],
    [ZONE_LABEL]: offered(ZONE_LABEL),
    [CAPACITY_TYPE_LABEL]: offered(CAPACITY_TYPE_LABEL),
    ...labels,
  };
  return {
    name,
    requirements: Object.entries(values).map(([key, listed]) => ({ key, operator: 'In', values: listed })),
    offerings,
    capacity,
    overhead,
  };
}

export function makeOffering(
  zone: string,
  capacityType: string,
  pricePerHour: number,
  rest: Partial<Offering> = {},
): Offering {
  return {
    requirements: [
      { key: ZONE_LABEL, operator: 'In', values: [zone] },
      { key: CAPACITY_TYPE_LABEL, operator: 'In', values: [capacityType] },
    ],
    pricePerHour,
    available: true,
    ...rest,
  };
}

/** The provider id of the node that `makeNode` makes under this name. */
export function idOf(name: string): string {
  return `fake:///${name}`;
}

/** A running, initialized node. Its provider id is `idOf` its name. */
export function makeNode(name: string, parts: Partial<ExistingNode> & { readonly pool?: string } = {}): ExistingNode {
  const { pool, labels: own = {}, taints = [], allocatable = { cpu: '4', memory: '8Gi', pods: '10' }, ...rest } = parts;
  const labels = { [HOSTNAME_LABEL]: name, ...(pool && { [NODEPOOL_LABEL]: pool }), ...own };
  return {
    providerId: idOf(name),
    name,
    labels,
    taints,
    node: { labels, taints },
    initialized: true,
    capacity: allocatable,
    allocatable,
    pods: [],
    volumeLimits: {},
    refusesMovedPods: false,
    ...rest,
  };
}
