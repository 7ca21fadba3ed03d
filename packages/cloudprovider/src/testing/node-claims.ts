import type { NodeClaim } from '@karpenter-ts/apis';

/** The parts of a claim that tests vary. */
export type NodeClaimParts = Partial<Omit<NodeClaim['spec'], 'nodeClassRef'>> & {
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
};

/** A claim without a pool, as the API server hands it out. */
export function makeNodeClaim(name: string, { labels, annotations, ...spec }: NodeClaimParts = {}): NodeClaim {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, uid: `uid-${name}`, ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: {
      nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
      requirements: [],
      expireAfter: 'Never',
      ...spec,
    },
  };
}
