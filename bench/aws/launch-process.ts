// A thousand NodeClaims at once, in virtual time: the embedded control plane, the operator with the AWS provider, and the
// emulator with all of EC2's types and its documented request rates. Reports once.
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { findCondition } from '@karpenter-ts/kubernetes';
import { AwsCluster } from '@karpenter-ts/provider-aws/testing/cluster';
import { SECOND } from '@karpenter-ts/runtime';

export interface LaunchFigures {
  readonly missing: number;
  readonly createFleetCalls: number;
  /** From the first NodeClaim until all are launched: time that passes at AWS and by the controller's own waits. */
  readonly virtualSeconds: number;
  /** Processor time of control plane, controller and emulator in the same span. */
  readonly cpuSeconds: number;
  /** NodeClaims that said, or log lines that said, that AWS wanted fewer requests. */
  readonly throttled: number;
}

const NODE_CLAIM_COUNT = 1_000;
const FAMILIES = ['m5', 'm6i', 'm6a', 'm7i', 'c5', 'c6i', 'c6a', 'r5', 'r6i', 'r6a'];
const THROTTLING = /RequestLimitExceeded|Throttl/;
const MOST_SECONDS = 120;

/** As the provisioner makes it. */
function nodeClaim(index: number, { metadata: { annotations = {} } }: NodePool): NodeClaim {
  const oneOf = (key: string, ...values: readonly string[]) => ({ key, operator: 'In' as const, values: [...values] });
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: `claim-${index}`,
      labels: { 'karpenter.sh/nodepool': 'default', 'karpenter.k8s.aws/ec2nodeclass': 'default' },
      annotations: { ...annotations },
    },
    spec: {
      nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      requirements: [
        oneOf('karpenter.k8s.aws/instance-family', FAMILIES[index % FAMILIES.length]!),
        oneOf('karpenter.sh/capacity-type', 'spot', 'on-demand'),
      ],
      resources: { requests: { cpu: '3', memory: '6Gi', pods: '5' } },
      expireAfter: 'Never',
    },
  };
}

async function measure(): Promise<LaunchFigures> {
  const endings: unknown[] = [];
  const env = await AwsCluster.start({ after: (end) => void endings.push(end) }, {}, {});
  await env.addPool('default', 'AL2023');
  await env.clock.advance(5 * SECOND); // its hash is set
  const nodePool = await env.client.get<NodePool>(NODE_POOLS, { name: 'default' });
  const before = env.requests.get('ec2 CreateFleet') ?? 0;
  const started = env.clock.elapsed();
  const cpu = process.cpuUsage();
  await Promise.all(
    Array.from({ length: NODE_CLAIM_COUNT }, (_, i) => env.client.create(NODE_CLAIMS, nodeClaim(i, nodePool))),
  );
  const throttled = new Set<string>();
  let launched = 0;
  for (let second = 0; second < MOST_SECONDS && launched < NODE_CLAIM_COUNT; second++) {
    await env.clock.advance(1 * SECOND);
    const conditions = (await env.nodeClaims()).map((one) => ({ one, condition: findCondition(one, 'Launched') }));
    for (const { one, condition } of conditions) {
      if (THROTTLING.test(condition?.message ?? '')) throttled.add(one.metadata.name);
    }
    launched = conditions.filter(({ condition }) => condition?.status === 'True').length;
  }
  const { user, system } = process.cpuUsage(cpu);
  const figures = {
    missing: NODE_CLAIM_COUNT - launched,
    createFleetCalls: (env.requests.get('ec2 CreateFleet') ?? 0) - before,
    virtualSeconds: (env.clock.elapsed() - started) / SECOND,
    cpuSeconds: (user + system) / 1e6,
    throttled: throttled.size + env.logger.lines.filter((line) => THROTTLING.test(JSON.stringify(line))).length,
  };
  await Promise.all(endings.map((end) => (end as () => unknown)()));
  return figures;
}

process.send!(await measure(), () => process.disconnect());
