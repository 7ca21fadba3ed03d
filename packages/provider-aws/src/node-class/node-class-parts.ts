import type { EC2NodeClass } from '@karpenter-ts/apis';

/** What the status of a NodeClass follows from, as a key: uid and generation. */
export function generationKey({ metadata }: Pick<EC2NodeClass, 'metadata'>): string {
  return `${metadata.uid}-${metadata.generation}`;
}

export type NodeClassSpec = NonNullable<EC2NodeClass['spec']>;
export type NodeClassStatus = NonNullable<EC2NodeClass['status']>;
/** `spec.kubelet` of a NodeClass. */
export type KubeletConfiguration = NonNullable<NodeClassSpec['kubelet']>;
export type AmiSelectorTerm = NonNullable<NodeClassSpec['amiSelectorTerms']>[number];
export type StatusAmi = NonNullable<NodeClassStatus['amis']>[number];
