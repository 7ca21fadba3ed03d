import type { Random } from '@karpenter-ts/kubernetes/testing';
import { ZONES } from './ec2-catalogue.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

/** A pod as a fleet file has it. */
export type PodManifest = Readonly<Record<string, unknown>>;

/**
 * Replicas of one workload, with typical requests and, in mixed fleets, with node selection, affinity and spread
 * constraints.
 */
export function randomApp(name: string, replicas: number, random: Random, isMixed: boolean): readonly PodManifest[] {
  const cpuMilli = random.pick([50, 100, 250, 250, 500, 500, 750, 1000, 1500, 2000, 3000, 4000, 7000]);
  const memoryMib = Math.ceil((cpuMilli / 1000) * random.pick([512, 1024, 2048, 3072, 4096, 6144, 8192]));
  const asks = isMixed && random.chance(0.55) ? randomAsks(name, random) : {};
  const { gpus = 0, ...constraints } = asks;
  const requests = {
    cpu: `${cpuMilli}m`,
    memory: `${memoryMib}Mi`,
    ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }),
  };
  return Array.from({ length: gpus > 0 ? Math.min(replicas, 10) : replicas }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `${name}-${String(index).padStart(4, '0')}`, namespace: 'default', labels: { app: name } },
    spec: { containers: [{ name: 'main', resources: { requests } }], ...constraints },
  }));
}

interface Asks {
  readonly gpus?: number;
  readonly [field: string]: unknown;
}

function randomAsks(app: string, random: Random): Asks {
  const labelSelector = { matchLabels: { app } };
  const required = (topologyKey: string) => ({
    requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector, topologyKey }],
  });
  const spread = (topologyKey: string, maxSkew: number, whenUnsatisfiable: string) => ({
    topologySpreadConstraints: [{ maxSkew, topologyKey, whenUnsatisfiable, labelSelector }],
  });
  switch (random.below(13)) {
    case 0:
      return { nodeSelector: { [ZONE]: random.pick(ZONES) } };
    case 1:
      return { nodeSelector: { 'kubernetes.io/arch': random.pick(['amd64', 'arm64']) } };
    case 2:
      return { nodeSelector: { 'karpenter.sh/capacity-type': 'on-demand' } };
    case 3:
      return { nodeSelector: { tier: 'batch' }, tolerations: [{ key: 'batch', operator: 'Exists' }] };
    case 4:
      return { gpus: 1, tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] };
    case 5:
      return spread(ZONE, random.pick([1, 2]), 'DoNotSchedule');
    case 6:
      return spread(ZONE, 1, 'ScheduleAnyway');
    case 7:
      return spread(HOSTNAME, random.pick([1, 2, 5]), random.pick(['DoNotSchedule', 'ScheduleAnyway']));
    case 8:
      return { affinity: { podAffinity: required(ZONE) } };
    case 9:
      return { affinity: { podAntiAffinity: required(HOSTNAME) } };
    case 10:
      return {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 50, podAffinityTerm: { labelSelector, topologyKey: HOSTNAME } },
            ],
          },
        },
      };
    case 11:
      return { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [preferred(random)] } } };
    default:
      return {
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [
                {
                  matchExpressions: [
                    { key: 'karpenter.k8s.aws/instance-cpu', operator: 'Lt', values: [random.pick(['9', '17', '65'])] },
                  ],
                },
              ],
            },
          },
        },
      };
  }
}

function preferred(random: Random) {
  const category = {
    key: 'karpenter.k8s.aws/instance-category',
    operator: 'In',
    values: [random.pick(['c', 'm', 'r'])],
  };
  const zone = { key: ZONE, operator: 'In', values: [random.pick(ZONES)] };
  return { weight: 10, preference: { matchExpressions: [random.pick([category, zone])] } };
}
