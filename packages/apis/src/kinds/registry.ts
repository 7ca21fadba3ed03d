import { capacityBufferResource } from './core/capacity-buffer.ts';
import { ec2NodeClassResource } from './aws/ec2-node-class.ts';
import { kwokNodeClassResource } from './kwok/kwok-node-class.ts';
import { nodeClaimResource } from './core/node-claim.ts';
import { nodeOverlayResource } from './core/node-overlay.ts';
import { nodePoolResource } from './core/node-pool.ts';
import type { Resource } from '../schema/resource.ts';
import type { Flavour } from './restricted-labels.ts';

/** The kinds each flavour of the CRDs holds, in the order people meet them. */
export const RESOURCES: Readonly<Record<Flavour, readonly Resource[]>> = {
  core: neutralKinds('core'),
  aws: [...neutralKinds('aws'), ec2NodeClassResource],
  kwok: [...neutralKinds('kwok'), kwokNodeClassResource],
};

function neutralKinds(flavour: Flavour): readonly Resource[] {
  return [nodePoolResource(flavour), nodeClaimResource(flavour), nodeOverlayResource(flavour), capacityBufferResource];
}
