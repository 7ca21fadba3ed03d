// Plans that go wrong about nodes: what they are, hold and cost.
import { CAPACITY_TYPE_LABEL, CORE_PROFILE, type NodePool, type RequirementSpec, ZONE_LABEL } from '@karpenter-ts/apis';
import type { PlannedNode } from '../../../plan.ts';
import { makeNode, makeOffering, makePod, makePool, makeType } from '../../builders.ts';
import { bought, type Case, DEFAULT, inZone, is, pod, type PlanExample, planExample } from './example.ts';

const p = pod('p');
const plain = planExample({ newNodes: [bought({ pods: [p] })] });
const withNode = (parts: Partial<PlannedNode>): PlanExample => {
  const newNodes = plain.plan.newNodes.map((node) => ({ ...node, ...parts }));
  const pricePerHour = newNodes.reduce((sum, node) => sum + node.pricePerHour, 0);
  return { ...plain, plan: { ...plain.plan, newNodes, pricePerHour } };
};

/** By what is wrong with the plan. */
export const BROKEN_NODES: Readonly<Record<string, Case>> = {
  'an instance type nobody offers': {
    breaks: ['namesKnown'],
    sound: plain,
    broken: withNode({ instanceTypes: ['small', 'unknown'] }),
  },
  'a pod that is placed twice': {
    breaks: ['everyPodOnce'],
    sound: plain,
    broken: planExample({ pods: [p], newNodes: [bought({ pods: [p, p] })] }),
  },
  'a node without pods': {
    breaks: ['noEmptyNodes'],
    sound: plain,
    broken: planExample({ newNodes: [bought({ pods: [] })] }),
  },
  'a pod refused for a reason that is not so': {
    breaks: ['refusalsTrue'],
    sound: refusedFor('NoUsablePools'),
    broken: refusedFor('NoPools'),
  },
  'a taint that is not tolerated': taintCase(),
  'a node outside its pool': {
    breaks: ['poolRequirementsKept'],
    ...poolCase(),
  },
  'a node that may be in the wrong zone': {
    breaks: ['podRequirementsMet'],
    sound: planExample({
      newNodes: [
        bought({ pods: [pod('p', { nodeSelector: { [ZONE_LABEL]: 'a' } })], asks: [inZone('a')], pricePerHour: 0.1 }),
      ],
    }),
    broken: planExample({ newNodes: [bought({ pods: [pod('p', { nodeSelector: { [ZONE_LABEL]: 'a' } })] })] }),
  },
  'an existing node without the label asked for': {
    breaks: ['podRequirementsMet'],
    sound: planExample({
      nodes: [makeNode('n', { labels: { disk: 'ssd' } })],
      onNodes: { n: [pod('p', { nodeSelector: { disk: 'ssd' } })] },
    }),
    broken: planExample({ nodes: [makeNode('n')], onNodes: { n: [pod('p', { nodeSelector: { disk: 'ssd' } })] } }),
  },
  'a type too small for the pods': {
    breaks: ['resourcesFit', 'capacityTypesTrue'],
    sound: planExample({
      newNodes: [bought({ pods: [p, pod('q'), pod('r')], instanceTypes: ['large'], pricePerHour: 0.4 })],
    }),
    broken: planExample({ newNodes: [bought({ pods: [p, pod('q'), pod('r')] })] }),
  },
  'a type too small for the pods and a daemon': {
    breaks: ['resourcesFit', 'capacityTypesTrue'],
    sound: planExample({
      daemonPods: [makePod('agent', { requests: { cpu: '1' } })],
      newNodes: [bought({ pods: [p] })],
    }),
    broken: planExample({
      daemonPods: [makePod('agent', { requests: { cpu: '1100m' } })],
      newNodes: [bought({ pods: [p] })],
    }),
  },
  'an existing node that is too full': {
    breaks: ['resourcesFit'],
    sound: planExample({
      nodes: [makeNode('n', { pods: [makePod('old', { requests: { cpu: '3' } })] })],
      onNodes: { n: [p] },
    }),
    broken: planExample({
      nodes: [makeNode('n', { pods: [makePod('old', { requests: { cpu: '3100m' } })] })],
      onNodes: { n: [p] },
    }),
  },
  'requests that leave a pod out': {
    breaks: ['requestsAddUp'],
    sound: plain,
    broken: planExample({ newNodes: [bought({ pods: [p], cpu: '500m' })] }),
  },
  'a pod that asks for devices by claim': {
    breaks: ['noClaimedDevices'],
    sound: planExample({ refused: [pod('p', { resourceClaims: [{ name: 'gpu' }] })] }),
    broken: planExample({ newNodes: [bought({ pods: [pod('p', { resourceClaims: [{ name: 'gpu' }] })] })] }),
  },
  'a type with a label the node may not have': {
    breaks: ['typesMeetRequirements', 'resourcesFit', 'typesCanBeBought'],
    sound: planExample({
      newNodes: [bought({ pods: [p], asks: [is(CAPACITY_TYPE_LABEL, 'spot')], instanceTypes: ['small'] })],
    }),
    broken: planExample({ newNodes: [bought({ pods: [p], asks: [is(CAPACITY_TYPE_LABEL, 'spot')] })] }),
  },
  'a type that cannot be had now': {
    breaks: ['typesCanBeBought', 'resourcesFit'],
    sound: plain,
    broken: withNode({ instanceTypes: ['small', 'large', 'gone'] }),
  },
  'more types than may be listed': {
    breaks: ['typeListSized'],
    sound: plain,
    broken: { ...plain, options: { ...plain.options, maxInstanceTypes: 1 } },
  },
  'a dearer type before a cheaper one': {
    breaks: ['typesCheapestFirst', 'pricesAddUp'],
    sound: plain,
    broken: withNode({ instanceTypes: ['large', 'small'] }),
  },
  'a last resort that is none': {
    breaks: ['lastResortsTold'],
    sound: plain,
    broken: withNode({ lastResorts: 1 }),
  },
  'a node at a price nobody offers': {
    breaks: ['pricesAddUp'],
    sound: plain,
    broken: withNode({ pricePerHour: 0.05 }),
  },
  'a total that is not the sum': {
    breaks: ['pricesAddUp'],
    sound: plain,
    broken: { ...plain, plan: { ...plain.plan, pricePerHour: 0.05 } },
  },
  'a way to pay that its types do not have': {
    breaks: ['capacityTypesTrue'],
    sound: plain,
    broken: withNode({ capacityTypes: ['on-demand', 'reserved'] }),
  },
  'a fitting type left out': {
    breaks: ['noFittingTypeLeftOut'],
    sound: plain,
    broken: withNode({ instanceTypes: ['small'] }),
  },
  'too little variety': minValuesCase(),
  'a pool beyond its limits': limitCase({ cpu: '10' }, { cpu: '9' }),
  'more nodes than a pool may have': limitCase({ nodes: '2' }, { nodes: '1' }),
  'a reservation held twice': reservationCase(),
};

function refusedFor(why: 'NoPools' | 'NoUsablePools'): PlanExample {
  const refused = planExample({ refused: [pod('p', { requests: { cpu: '9' } })] });
  const unschedulable = refused.plan.unschedulable.map((one) => ({ ...one, failure: { why } }));
  return { ...refused, plan: { ...refused.plan, unschedulable } };
}

function taintCase(): Case {
  const taint = { key: 'gpu', value: 'true', effect: 'NoSchedule' } as const;
  const pool = makePool('default', { taints: [taint] });
  const tolerant = pod('p', { tolerations: [{ key: 'gpu', operator: 'Exists' }] });
  return {
    breaks: ['taintsTolerated'],
    sound: planExample({ nodePools: [pool], newNodes: [bought({ pool, pods: [tolerant] })] }),
    broken: planExample({ nodePools: [pool], newNodes: [bought({ pool, pods: [p] })] }),
  };
}

function poolCase(): Omit<Case, 'breaks'> {
  const spotOnly = makePool('spot', { requirements: [is(CAPACITY_TYPE_LABEL, 'spot')] });
  const node = bought({ pool: spotOnly, pods: [p], instanceTypes: ['small'] });
  const free = { ...bought({ pods: [p] }), nodePool: 'spot' };
  return {
    sound: planExample({ nodePools: [spotOnly], newNodes: [node] }),
    broken: planExample({ nodePools: [spotOnly], newNodes: [free] }),
  };
}

function minValuesCase(): Case {
  const pool = (minValues: number) =>
    makePool('default', { requirements: [{ ...is('node.kubernetes.io/instance-type', 'small', 'large'), minValues }] });
  const of = (minValues: number, asks: readonly RequirementSpec[], types: readonly string[]) =>
    planExample({
      nodePools: [pool(minValues)],
      newNodes: [bought({ pool: pool(minValues), pods: [p], asks, instanceTypes: types })],
    });
  return {
    breaks: ['minValuesMet'],
    sound: of(2, [], ['small', 'large']),
    broken: of(2, [is(CAPACITY_TYPE_LABEL, 'spot')], ['small']),
  };
}

/** A node of 2 cpus is there; one of up to 8 is bought. */
function limitCase(enough: NodePool['spec']['limits'], tooLow: NodePool['spec']['limits']): Case {
  const nodes = [
    makeNode('n', { pool: 'default', allocatable: { cpu: '2' }, pods: [makePod('old', { requests: { cpu: '2' } })] }),
  ];
  const of = (limits: NodePool['spec']['limits']) => {
    const pool = makePool('default', { ...(limits && { limits }) });
    return planExample({ nodePools: [pool], nodes, newNodes: [bought({ pool, pods: [p] })] });
  };
  return { breaks: ['limitsKept'], sound: of(enough), broken: of(tooLow) };
}

function reservationCase(): Case {
  const reservationIdLabel = 'reservation';
  const of = (capacity: number): PlanExample => {
    const offering = makeOffering('a', 'reserved', 0.001, { reservation: { id: 'r-1', capacity } });
    const owned = { ...offering, requirements: [...offering.requirements, is(reservationIdLabel, 'r-1')] };
    const type = makeType('owned', { capacity: { cpu: '1', memory: '1Gi', pods: '1' }, offerings: [owned] });
    const node = (placeholder: string, name: string) =>
      bought({
        placeholder,
        pods: [pod(name)],
        asks: [is(CAPACITY_TYPE_LABEL, 'reserved'), is(reservationIdLabel, 'r-1')],
        instanceTypes: ['owned'],
        capacityTypes: ['reserved'],
        reservations: ['r-1'],
        pricePerHour: 0.001,
      });
    const wellKnownLabels = CORE_PROFILE.wellKnownLabels.union(new Set([reservationIdLabel]));
    return planExample({
      pools: [{ nodePool: DEFAULT, instanceTypes: [type] }],
      newNodes: [node('node-1', 'p'), node('node-2', 'q')],
      options: { reservationIdLabel, profile: { ...CORE_PROFILE, wellKnownLabels } },
    });
  };
  return { breaks: ['reservationsKept'], sound: of(2), broken: of(1) };
}
