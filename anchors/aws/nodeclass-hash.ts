// The static hash of a NodeClass, by which drift is found, and its effective AMI family.
import { EC2NODECLASS_HASH_V5, ec2NodeClassHash, resolveAmiFamily } from '@karpenter-ts/apis';
import type { Comparer } from './comparison.ts';

interface Input {
  readonly spec: object;
  readonly caBundle: string;
}

export const comparer: Comparer = {
  lines: 80,

  answer(input) {
    const { spec, caBundle } = input as Input;
    return {
      hash: ec2NodeClassHash({ spec }, { clusterCaBundle: caBundle }),
      amiFamily: resolveAmiFamily(spec),
      hashVersion: EC2NODECLASS_HASH_V5,
    };
  },
};
