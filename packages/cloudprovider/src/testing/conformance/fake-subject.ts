import { type NodeClaim, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import { SECOND, VirtualClock } from '@karpenter-ts/runtime';
import type { InstanceType } from '@karpenter-ts/scheduling';
import { DEFAULT_TYPES, fakeType, makeOffering, makePool, reserved } from '@karpenter-ts/scheduling/testing';
import { InsufficientCapacityError, NodeClassNotReadyError } from '../../errors.ts';
import { FakeCloudProvider } from '../fake-cloud-provider.ts';
import { refuse, throttle } from '../fault.ts';
import { makeNodeClaim } from '../node-claims.ts';
import type { Demand, Subject } from './subject.ts';

const NODE_POOL = makePool('conformance');

/** How long the Nodes of this subject take to appear. */
const BOOT = 30 * SECOND;

const TYPES: readonly InstanceType[] = [
  ...DEFAULT_TYPES,
  fakeType('rare-instance-type', {
    resources: { cpu: '1' },
    offerings: [
      makeOffering('test-zone-1', 'spot', 0.00001, { available: false }),
      makeOffering('test-zone-2', 'on-demand', 0.05),
    ],
  }),
  fakeType('reserved-instance-type', { offerings: [reserved('test-zone-1', 'res-1', 3)] }),
];

/** The fake provider, with Nodes that appear by themselves half a minute after each launch. */
export interface FakeSubject extends Subject {
  readonly provider: FakeCloudProvider;
}

/** A fresh one. */
export async function fakeSubject(): Promise<FakeSubject> {
  const clock = new VirtualClock();
  const provider = new FakeCloudProvider({ clock, instanceTypes: TYPES, outlivedDeletes: 2 });
  const booted = new Map<string, number>();
  let claims = 0;
  return {
    provider,
    nodePool: NODE_POOL,
    makeNodeClaim: async ({ requirements = [], requests = {} }: Demand): Promise<NodeClaim> =>
      makeNodeClaim(`conformance-${++claims}`, {
        requirements: [...requirements] as NodeClaim['spec']['requirements'],
        resources: { requests },
      }),
    finish: (call) => clock.runUntil(call),
    advance: (duration) => clock.advance(duration),
    hooks: {
      exhaust: async () => provider.offer(TYPES.map(soldOut)),
      throttle: async (method) => provider.script(method, throttle()),
      unreadyNodeClass: async () =>
        provider.keepFailing('create', refuse(new NodeClassNotReadyError(new Error('no subnets')))),
      removeNodeClass: async () =>
        provider.keepFailing('create', refuse(new InsufficientCapacityError(new Error('no such class')))),
      drift: async () => provider.setDrift('ImageDrifted'),
      findNode: async (providerId) => {
        if (!provider.instances.some(({ status }) => status?.providerID === providerId)) return undefined;
        const at = booted.get(providerId) ?? clock.now() + BOOT;
        booted.set(providerId, at);
        return clock.now() < at ? undefined : { spec: { taints: [UNREGISTERED_TAINT] } };
      },
    },
    stop: async () => undefined,
  };
}

function soldOut(type: InstanceType): InstanceType {
  return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: false })) };
}
