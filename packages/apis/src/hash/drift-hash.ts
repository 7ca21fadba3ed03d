import { resolveAmiFamily } from '../kinds/aws/ami-alias.ts';
import {
  EC2NODECLASS_HASH,
  EC2NODECLASS_HASH_VERSION,
  NODEPOOL_HASH,
  NODEPOOL_HASH_VERSION,
} from '../names/annotations.ts';
import { ec2NodeClassSpec } from './ec2-node-class-shape.ts';
import { nodeClaimTemplate } from './node-pool-shape.ts';
import { hashText } from './structure.ts';
import { goJson, type JsonObject } from '@karpenter-ts/kubernetes';

// The hash must equal upstream's bit for bit: Nodes carry it, and a different hash would replace all of them. So its
// flaws are kept: two equal taints cancel out, and an empty map differs from an absent one. A different algorithm needs
// a new version.

/** Version of `nodePoolHash`. */
export const NODEPOOL_HASH_V3 = 'v3';
/** Version of `ec2NodeClassHash`. */
export const EC2NODECLASS_HASH_V5 = 'v5';
/** Version of `ec2NodeClassHashV6`. */
export const EC2NODECLASS_HASH_V6 = 'v6';

/** The hash of what a NodePool's Nodes were made from and cannot change in place, after defaulting. */
export function nodePoolHash(nodePool: { readonly spec: { readonly template: object } }): string {
  return String(nodeClaimTemplate.hash(nodePool.spec.template));
}

/** An EC2NodeClass, after defaulting. */
export interface HashedEc2NodeClass {
  readonly spec?: object | undefined;
}

/** What is hashed besides the object: the CA bundle as configured or found, `''` when unknown. */
export interface Ec2NodeClassHashContext {
  readonly clusterCaBundle: string;
}

/** The hash of what an EC2NodeClass's Nodes were launched with. */
export function ec2NodeClassHash({ spec = {} }: HashedEc2NodeClass, context: Ec2NodeClassHashContext): string {
  return String(hashEc2Spec(spec, context));
}

/** As upstream computes it from 1.15 on, where `kubelet` is an open map and hashes as JSON text. */
export function ec2NodeClassHashV6({ spec = {} }: HashedEc2NodeClass, context: Ec2NodeClassHashContext): string {
  const { kubelet = {}, ...rest } = spec as { readonly kubelet?: JsonObject };
  const kubeletText = Object.keys(kubelet).length === 0 ? 'null' : goJson(kubelet);
  return String(hashEc2Spec(rest, context) ^ hashText(kubeletText));
}

/** Where an object and its NodeClaims keep their hash and its version. */
export interface HashAnnotations {
  readonly hash: string;
  readonly version: string;
}

/** Those of NodePools. */
export const NODEPOOL_HASH_ANNOTATIONS: HashAnnotations = { hash: NODEPOOL_HASH, version: NODEPOOL_HASH_VERSION };
/** Those of EC2NodeClasses. */
export const EC2NODECLASS_HASH_ANNOTATIONS: HashAnnotations = {
  hash: EC2NODECLASS_HASH,
  version: EC2NODECLASS_HASH_VERSION,
};

type Annotations = Readonly<Record<string, string>> | undefined;

/**
 * Whether a NodeClaim was made from another state of the object than its present one. Never without all four
 * annotations and equal versions: hashes of two versions cannot be compared.
 */
export function isStaticallyDrifted(object: Annotations, nodeClaim: Annotations, keys: HashAnnotations): boolean {
  const version = object?.[keys.version];
  const wanted = object?.[keys.hash];
  const actual = nodeClaim?.[keys.hash];
  if (version === undefined || wanted === undefined || actual === undefined) return false;
  return version === nodeClaim?.[keys.version] && wanted !== actual;
}

function hashEc2Spec(spec: object, { clusterCaBundle }: Ec2NodeClassHashContext): bigint {
  return ec2NodeClassSpec.hash(spec) ^ hashText(resolveAmiFamily(spec)) ^ hashText(clusterCaBundle);
}
