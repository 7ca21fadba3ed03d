import type { NodeClaim } from '@karpenter-ts/apis';
import { InsufficientCapacityError, NodeClaimNotFoundError, NodeClassNotReadyError } from '@karpenter-ts/cloudprovider';
import { type Fault, garble, loseAnswer, refuse, slowDown, throttle } from '@karpenter-ts/cloudprovider/testing';
import { SECOND } from '@karpenter-ts/runtime';

/** What may go wrong with a call to the cloud. */
export type CloudFault = 'no-capacity' | 'class-not-ready' | 'throttle' | 'lose' | 'garbage' | 'delay' | 'not-found';

/** The calls that can be broken. */
export type CloudMethod = 'create' | 'delete' | 'get' | 'list' | 'instanceTypes';

/** Which faults each call may have. A `delete` that reports success without deleting would be a leak of the cloud's own. */
export const FAULTS_OF: Readonly<Record<CloudMethod, readonly CloudFault[]>> = {
  create: ['no-capacity', 'no-capacity', 'class-not-ready', 'throttle', 'lose', 'lose', 'garbage', 'delay'],
  delete: ['throttle', 'lose', 'delay'],
  get: ['throttle', 'not-found', 'delay'],
  list: ['throttle', 'garbage', 'delay'],
  instanceTypes: ['throttle', 'garbage', 'delay'],
};

/** An instance without a provider id, which could not be found again. */
const NO_INSTANCE: NodeClaim = {
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { name: 'garbage' },
  spec: { nodeClassRef: { group: '', kind: '', name: '' }, requirements: [], expireAfter: 'Never' },
};

const DELAY = 20 * SECOND;

/** How the fault shows in a call of this method. */
export function faultOf(fault: CloudFault, method: CloudMethod): Fault {
  const cause = new Error('the world is against it');
  switch (fault) {
    case 'no-capacity':
      return refuse(new InsufficientCapacityError(cause));
    case 'class-not-ready':
      return refuse(new NodeClassNotReadyError(cause));
    case 'not-found':
      return refuse(new NodeClaimNotFoundError(cause));
    case 'throttle':
      return throttle();
    case 'lose':
      return loseAnswer();
    case 'garbage':
      return garble(method === 'create' ? NO_INSTANCE : []);
    case 'delay':
      return slowDown(DELAY);
    default:
      return fault satisfies never;
  }
}
