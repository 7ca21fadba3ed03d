import {
  ARCH_LABEL,
  CAPACITY_TYPE_LABEL,
  CORE_PROFILE,
  findIncompatibilities,
  INSTANCE_TYPE_LABEL,
  type NodePool,
  toLabelRequirements,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import type { Pod } from '@karpenter-ts/kubernetes';
import type { ExistingNode } from '../../snapshot.ts';
import { makeNode, makePod } from '../builders.ts';
import { findUntolerated, requiredAlternatives } from '../checker/demands.ts';
import { onNodes, where } from '../pod-parts.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import type { FleetTraits } from './traits.ts';
import {
  CPU_LABEL,
  DRIVER,
  GPU,
  RACK_LABEL,
  RACKS,
  RANKED_TAINT,
  STARTUP_TAINT,
  TIER_TAINT,
  TIERS,
  ZONES,
} from './values.ts';
import type { Workload } from './workload.ts';

/** What a node may be of and run. */
export interface NodeStock {
  readonly pools: readonly NodePool[];
  readonly workloads: readonly Workload[];
  readonly daemons: readonly Pod[];
}

/** A node with its daemons and some pods. */
export function randomNode(name: string, stock: NodeStock, random: Random, traits: FleetTraits): ExistingNode {
  const cpus = random.pick([2, 4, 8]);
  const node = makeNode(name, {
    ...(random.chance(0.7) && { pool: random.pick(stock.pools).metadata.name }),
    labels: {
      [ZONE_LABEL]: random.pick(ZONES),
      [CAPACITY_TYPE_LABEL]: random.pick(['spot', 'on-demand']),
      [ARCH_LABEL]: 'amd64',
      [INSTANCE_TYPE_LABEL]: random.pick(['type-0', 'type-9']),
      [CPU_LABEL]: String(cpus),
      ...(random.chance(0.3) && { tier: random.pick(TIERS) }),
      ...(random.chance(0.3) && { [RACK_LABEL]: random.pick(RACKS) }),
    },
    taints: random.chance(0.4) ? [random.pick([TIER_TAINT, RANKED_TAINT])] : [],
    initialized: random.chance(0.8),
    allocatable: {
      cpu: String(cpus),
      memory: `${cpus * 2}Gi`,
      pods: '12',
      ...(random.chance(0.2) && { [GPU]: '1' }),
    },
    volumeLimits: random.chance(0.5) ? { [DRIVER]: random.below(3) } : {},
    refusesMovedPods: random.chance(0.2),
  });
  if (!traits.portable && !node.initialized && random.chance(0.3)) return starting(node, random);
  return { ...node, pods: [...daemonsOn(node, stock, random, traits), ...residentsOf(node, stock, random, traits)] };
}

/** Its Node still has a taint it is about to lose, or is not there yet at all. Nobody can run there meanwhile. */
function starting(node: ExistingNode, random: Random): ExistingNode {
  const { labels, taints } = node;
  return { ...node, node: random.chance(0.5) ? undefined : { labels, taints: [...taints, STARTUP_TAINT] } };
}

function residentsOf(
  node: ExistingNode,
  { workloads }: NodeStock,
  random: Random,
  traits: FleetTraits,
): readonly Pod[] {
  const residents = Array.from({ length: random.below(5) }, (_, index) =>
    bound(random.pick(workloads)(`${node.name}-${index}`, node.labels[ZONE_LABEL]), node.name),
  );
  if (traits.portable) return residents.filter((pod) => mayRunOn(node, pod));
  return residents.map((pod) => (random.chance(0.1) ? terminating(pod) : pod));
}

/** Those that run there; where no scheduler looks on, some may be late. */
function daemonsOn(
  node: ExistingNode,
  { daemons }: NodeStock,
  random: Random,
  { portable }: FleetTraits,
): readonly Pod[] {
  return daemons
    .filter((daemon) => mayRunOn(node, daemon) && (portable || random.chance(0.7)))
    .map((daemon) => {
      const { metadata, ...rest } = bound(daemon, node.name);
      const name = `${metadata.name}-${node.name}`;
      const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: metadata.name, uid: metadata.name };
      return {
        ...rest,
        metadata: { ...metadata, name, uid: `${metadata.namespace}-${name}`, ownerReferences: [owner] },
      };
    });
}

/** As far as the pod's own word on nodes goes. */
function mayRunOn({ labels, taints }: ExistingNode, pod: Pod): boolean {
  const present = toLabelRequirements(labels, CORE_PROFILE);
  return (
    findUntolerated(pod, taints) === undefined &&
    requiredAlternatives(pod, CORE_PROFILE).some((asked) => findIncompatibilities(present, asked).length === 0)
  );
}

function bound({ metadata, spec }: Pod, nodeName: string): Pod {
  return { metadata, spec: { ...spec, nodeName }, status: { phase: 'Running' } };
}

function terminating({ metadata, ...pod }: Pod): Pod {
  return { ...pod, metadata: { ...metadata, deletionTimestamp: '2026-08-01T00:00:00Z' } };
}

const LARGE = [where(CPU_LABEL, 'Gt', '4')];

/** None, one or two. */
export function randomDaemons(random: Random, { portable }: FleetTraits): readonly Pod[] {
  const agent = makePod('agent', {
    namespace: 'kube-system',
    requests: { cpu: random.pick(['50m', '300m']), memory: '128Mi' },
    tolerations: random.chance(0.7) ? [{ operator: 'Exists' }] : [],
    ...(random.chance(0.3) && { nodeSelector: { [ARCH_LABEL]: 'amd64' } }),
    ...(random.chance(0.2) && { containers: [{ name: 'main', ports: [{ hostPort: 8080 }] }] }),
  });
  const driver = makePod('driver', {
    namespace: 'kube-system',
    requests: { cpu: '200m' },
    tolerations: [{ operator: 'Exists' }],
    // On existing nodes only the first alternative of a daemon counts (weakness 16).
    affinity: portable ? onNodes(LARGE) : onNodes(LARGE, [where(ZONE_LABEL, 'In', ZONES[0])]),
    ...(!portable && random.chance(0.1) && { resourceClaims: [{ name: 'device' }] }),
  });
  return [...(random.chance(0.6) ? [agent] : []), ...(random.chance(0.3) ? [driver] : [])];
}
