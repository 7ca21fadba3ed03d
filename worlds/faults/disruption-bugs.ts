import { DISRUPTED_TAINT, type NodePool } from '@karpenter-ts/apis';
import type { CloudProvider } from '@karpenter-ts/cloudprovider';
import type { Pod, PodDisruptionBudget } from '@karpenter-ts/kubernetes';
import type { Transport } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { changingObjects } from './changed-objects.ts';
import type { SeededBug } from './seeded-bug.ts';

type Disruption = NonNullable<NodePool['spec']['disruption']>;

/** The operator dies soon after it has decided to delete an empty node, which is needed again when the next one starts. */
const DIES_EARLY = Array.from({ length: 8 }, (_, index) => `abandon:kwok:after:${index + 1}`);

/** Bugs of an operator that disrupts nodes: each part of a decision, and each step of a command, is wrong in one. */
export const DISRUPTION_BUGS: Readonly<Record<string, SeededBug>> = {
  'does not see the budgets of pools': { breaks: 'node-budget', transport: seeingDisruption(() => ({ budgets: [] })) },
  'does not see budgets with a schedule': { breaks: 'node-budget', transport: seeingDisruption(withoutWindows) },
  'does not see the wait of a pool': {
    breaks: 'reason',
    transport: seeingDisruption(() => ({ consolidateAfter: '0s' })),
  },
  'consolidates where only empty nodes may go': {
    breaks: 'reason',
    transport: seeingDisruption(() => ({ consolidationPolicy: 'WhenEmptyOrUnderutilized' })),
  },
  'takes all pods for those of daemons': { breaks: 'reason', transport: changingObjects('pods', asDaemon) },
  'does not see what pod budgets allow': {
    breaks: 'blocked',
    transport: changingObjects('poddisruptionbudgets', allowingMore),
  },
  'does not wait for replacements': {
    breaks: 'replacement',
    worlds: ['drift:fleet:before:50', 'replace:fleet:before:50'],
    transport: deletingAtOnce,
  },
  'takes dear for cheap': { breaks: 'price', worlds: ['drift:kwok:before:50', '5'], provider: invertingPrices },
  'finds drift in everything': { breaks: 'rest', worlds: ['launch:fleet:before:1'], provider: alwaysDrifted },
  'leaves its taints behind': {
    breaks: 'rest',
    worlds: DIES_EARLY,
    transport: keeping('nodes', `"key":"${DISRUPTED_TAINT.key}"`),
  },
  'leaves its marks behind': {
    breaks: 'rest',
    worlds: DIES_EARLY,
    transport: keeping('nodeclaims', '"type":"DisruptionReason"'),
  },
};

function seeingDisruption(
  change: (disruption: Disruption) => Partial<Disruption>,
): (transport: Transport) => Transport {
  return changingObjects('nodepools', (pool: NodePool) => {
    const { disruption } = pool.spec;
    return { ...pool, spec: { ...pool.spec, disruption: { ...disruption, ...change(disruption) } } };
  });
}

function withoutWindows({ budgets }: Disruption): Partial<Disruption> {
  return { budgets: budgets.filter(({ schedule }) => schedule === undefined) };
}

function asDaemon(pod: Pod): Pod {
  const ownerReferences = pod.metadata.ownerReferences?.map((owner) => {
    return { ...owner, apiVersion: 'apps/v1', kind: 'DaemonSet' };
  });
  return { ...pod, metadata: { ...pod.metadata, ...(pod.spec.nodeName && ownerReferences && { ownerReferences }) } };
}

function allowingMore(budget: PodDisruptionBudget): PodDisruptionBudget {
  const { maxUnavailable: _, ...spec } = budget.spec;
  return { ...budget, spec, status: { ...budget.status, disruptionsAllowed: 1 } };
}

/** Deletes a NodeClaim as soon as it is marked. */
function deletingAtOnce(transport: Transport): Transport {
  return {
    send: async (request, signal) => {
      const answer = await transport.send(request, signal);
      const { method, path, body } = request;
      const [, claim] = /^(.*\/nodeclaims\/[^/]+)\/status/.exec(path) ?? [];
      if (method === 'PATCH' && claim !== undefined && String(body).includes('"type":"DisruptionReason"')) {
        (await transport.send({ method: 'DELETE', path: claim, headers: request.headers }, signal)).discard();
      }
      return answer;
    },
    close: () => transport.close(),
  };
}

/** The dearest offering of all becomes the cheapest, and the other way round. */
function invertingPrices(provider: CloudProvider): CloudProvider {
  const changed = new WeakMap<readonly InstanceType[], readonly InstanceType[]>();
  return derived(provider, {
    instanceTypes: async (nodePool, signal) => {
      const types = await provider.instanceTypes(nodePool, signal);
      const known = changed.get(types);
      if (known !== undefined) return known;
      const inverted = types.map((type) => ({
        ...type,
        offerings: type.offerings.map((one) => ({ ...one, pricePerHour: 0.01 / one.pricePerHour })),
      }));
      changed.set(types, inverted);
      return inverted;
    },
  });
}

function alwaysDrifted(provider: CloudProvider): CloudProvider {
  return derived(provider, { findDrift: async () => 'SurelyDrifted' });
}

function derived(provider: CloudProvider, own: Partial<CloudProvider>): CloudProvider {
  return Object.assign(Object.create(provider) as CloudProvider, own);
}

/** Does not carry out the writes that would take something off an object, and answers with the object as it is. */
function keeping(plural: string, word: string): (transport: Transport) => Transport {
  return (transport) => ({
    send: async (request, signal) => {
      const { method, path, body } = request;
      if (method !== 'PATCH' || !path.includes(`/${plural}/`) || String(body).includes(word)) {
        return transport.send(request, signal);
      }
      const read = { method: 'GET', path: path.replace(/(\/status)?(\?.*)?$/, ''), headers: request.headers } as const;
      const now = await transport.send(read, signal);
      const chunks: Uint8Array[] = [];
      for await (const chunk of now.body) chunks.push(chunk);
      const text = Buffer.concat(chunks);
      const isTaken = text.includes(word) && /"(taints|conditions)"/.test(String(body));
      return isTaken ? { ...now, body: only(text) } : transport.send(request, signal);
    },
    close: () => transport.close(),
  });
}

async function* only(chunk: Buffer): AsyncGenerator<Buffer> {
  yield chunk;
}
