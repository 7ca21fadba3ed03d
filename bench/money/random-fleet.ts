// Fleets over EC2's types and prices, different for every seed.
import { type Fleet, readFleet } from '@karpenter-ts/cli/fleet';
import { type Random, seededRandom } from '@karpenter-ts/kubernetes/testing';
import { randomCatalogue } from './ec2-catalogue.ts';
import { type PodManifest, randomApp } from './random-app.ts';

/** `plain`: pods ask for resources only. `mixed`: about half the workloads ask something of nodes or of each other. */
export type FleetKind = 'plain' | 'mixed';

/** The same fleet for the same seed. */
export function randomEc2Fleet(seed: number, kind: FleetKind): Fleet {
  const random = seededRandom(seed);
  const content = {
    catalogue: randomCatalogue(random),
    nodePools: randomPools(random, kind),
    pods: randomPods(random, kind),
    daemonPods: [agent(random)],
  };
  const read = readFleet(JSON.stringify(content));
  if ('fleet' in read) return read.fleet;
  throw new Error(`fleet ${seed} is wrong: ${JSON.stringify(read.problems[0])}`);
}

function randomPods(random: Random, kind: FleetKind): readonly PodManifest[] {
  const count = random.pick([100, 300, 300, 500, 500, 1000, 2000]);
  const pods: PodManifest[] = [];
  for (let app = 0; pods.length < count; app++) {
    const replicas = random.chance(0.1) ? 20 + random.below(count / 4) : 1 + random.below(Math.max(4, count / 25));
    pods.push(...randomApp(`app-${String(app).padStart(4, '0')}`, replicas, random, kind === 'mixed'));
  }
  return pods.slice(0, count);
}

function randomPools(random: Random, kind: FleetKind): readonly object[] {
  const capacityTypes = random.chance(0.6) ? ['spot', 'on-demand'] : ['on-demand'];
  const general = pool('default', [
    is('karpenter.sh/capacity-type', ...capacityTypes),
    is('kubernetes.io/arch', ...(random.chance(0.5) ? ['amd64'] : ['amd64', 'arm64'])),
    { key: 'karpenter.k8s.aws/instance-category', operator: 'NotIn', values: ['g'] },
  ]);
  const gpu = pool(
    'gpu',
    [is('karpenter.k8s.aws/instance-category', 'g'), is('karpenter.sh/capacity-type', 'on-demand')],
    {
      taint: 'nvidia.com/gpu',
    },
  );
  const batch = pool('batch', [is('karpenter.sh/capacity-type', 'spot')], {
    taint: 'batch',
    labels: { tier: 'batch' },
    weight: 1 + random.below(50),
  });
  return kind === 'plain' ? [general, gpu] : [general, gpu, batch];
}

function pool(
  name: string,
  requirements: readonly object[],
  { taint, labels, weight }: { readonly taint?: string; readonly labels?: object; readonly weight?: number } = {},
): object {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...(weight !== undefined && { weight }),
      template: {
        metadata: { labels: labels ?? {} },
        spec: {
          nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          requirements,
          ...(taint !== undefined && { taints: [{ key: taint, value: 'yes', effect: 'NoSchedule' }] }),
        },
      },
    },
  };
}

function is(key: string, ...values: readonly string[]): object {
  return { key, operator: 'In', values };
}

/** What runs on every node. */
function agent(random: Random): PodManifest {
  const requests = random.pick([
    { cpu: '150m', memory: '200Mi' },
    { cpu: '300m', memory: '512Mi' },
  ]);
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'agent', namespace: 'kube-system' },
    spec: { tolerations: [{ operator: 'Exists' }], containers: [{ name: 'main', resources: { requests } }] },
  };
}
