import type { Pod } from '@karpenter-ts/kubernetes';
import type { Change } from '../../what-if.ts';
import type { Snapshot } from '../../snapshot.ts';
import type { Random } from '@karpenter-ts/kubernetes/testing';
import { randomFleet } from './fleet.ts';
import { anotherPool } from './node-pool.ts';

/** A node or two fewer, whose pods move; sometimes more pods or another pool, or provider ids that mean nothing. */
export function randomChange(snapshot: Snapshot, random: Random): Change {
  const gone = snapshot.nodes.length === 0 ? [] : random.some(snapshot.nodes, 0).slice(0, 2);
  const moving = gone.flatMap(({ pods }) => pods).filter((pod) => !isDaemon(pod) && random.chance(0.9));
  const nowhere = [...snapshot.deletingNodes.map(({ providerId }) => providerId), 'unknown'].filter(() =>
    random.chance(0.2),
  );
  return {
    withoutNodes: [...gone.map(({ providerId }) => providerId), ...nowhere],
    withPods: [
      ...moving,
      ...snapshot.pods.filter(() => random.chance(0.05)), // pending anyway
      ...(random.chance(0.3) ? strangers(random) : []),
    ],
    ...(random.chance(0.3) && { withPools: [randomReplacement(snapshot, random)] }),
  };
}

/** Under the name of a pool that is there, or of none. */
function randomReplacement({ pools }: Snapshot, random: Random) {
  const nodePool = anotherPool(random.pick(['pool-0', 'pool-9']), random);
  return { nodePool, instanceTypes: pools[0]!.instanceTypes };
}

/** Pods that ask for things the snapshot may never have heard of. */
function strangers(random: Random): readonly Pod[] {
  return randomFleet(random.below(1_000_000), { apps: 2 }).snapshot.pods.map(({ metadata, ...pod }) => {
    const name = `new-${metadata.name}`;
    return { ...pod, metadata: { ...metadata, name, uid: name } };
  });
}

function isDaemon({ metadata }: Pod): boolean {
  return metadata.ownerReferences !== undefined;
}
