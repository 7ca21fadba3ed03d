// Plans that go wrong about who goes first, and what is given up.
import { makeNode, makeOffering, makePod, makePool, makeType } from '../../builders.ts';
import { bought, type Case, DEFAULT, is, pod, type PlanExample, planExample } from './example.ts';

const p = pod('p');

/** By what is wrong with the plan. */
export const BROKEN_DECISIONS: Readonly<Record<string, Case>> = {
  'a node bought though an existing one had room': {
    breaks: ['existingNodesFirst'],
    sound: planExample({ nodes: [makeNode('n')], onNodes: { n: [p] } }),
    broken: planExample({ nodes: [makeNode('n')], newNodes: [bought({ pods: [p] })] }),
  },
  'a later node taken though an earlier one had room': {
    breaks: ['existingNodesInOrder'],
    sound: planExample({ nodes: [makeNode('a'), makeNode('b')], onNodes: { a: [p] } }),
    broken: planExample({ nodes: [makeNode('a'), makeNode('b')], onNodes: { b: [p] } }),
  },
  'a node that is not ready taken before one that is': {
    breaks: ['existingNodesInOrder'],
    sound: planExample({ nodes: [makeNode('a', { initialized: false }), makeNode('b')], onNodes: { b: [p] } }),
    broken: planExample({ nodes: [makeNode('a', { initialized: false }), makeNode('b')], onNodes: { a: [p] } }),
  },
  'a node bought though one bought before had room': {
    breaks: ['earlierNodesFirst'],
    sound: planExample({ newNodes: [bought({ pods: [p, pod('q')] })] }),
    broken: planExample({ newNodes: [bought({ pods: [p] }), bought({ placeholder: 'node-2', pods: [pod('q')] })] }),
  },
  'a node of a lighter pool': weightCase(),
  'a pod refused though a pool has a node for it': {
    breaks: ['placeablePodsPlaced'],
    sound: planExample({ refused: [pod('p', { requests: { cpu: '9' } })] }),
    broken: planExample({ refused: [p] }),
  },
  'a small pod placed before a large one': queueCase(),
  'a pod moved to a node that is to be let alone': restingCase(),
  'a preference given up before one that goes first': relaxationCase(),
  'a usable pool called unusable': {
    breaks: ['unusablePoolsTrue'],
    sound: planExample({ newNodes: [bought({ pods: [p] })] }),
    broken: withUnusable(planExample({ newNodes: [bought({ pods: [p] })] }), 'default'),
  },
  'a pool without types passed over in silence': {
    breaks: ['unusablePoolsTrue'],
    sound: withUnusable(planExample({ pools: [{ nodePool: DEFAULT, instanceTypes: [] }] }), 'default'),
    broken: planExample({ pools: [{ nodePool: DEFAULT, instanceTypes: [] }] }),
  },
  'a reservation left unused': reservationCase(),
};

function weightCase(): Case {
  const heavy = makePool('heavy', { weight: 10 });
  const nodePools = [DEFAULT, heavy];
  return {
    breaks: ['heavierPoolsFirst'],
    sound: planExample({ nodePools, newNodes: [bought({ pool: heavy, pods: [p] })] }),
    broken: planExample({ nodePools, newNodes: [bought({ pods: [p] })] }),
  };
}

function queueCase(): Case {
  const small = pod('small', { requests: { cpu: '500m', memory: '1Gi' } });
  const of = (...pods: readonly (typeof p)[]) => planExample({ newNodes: [bought({ pods, cpu: '1500m' })] });
  return { breaks: ['podsInQueueOrder'], sound: of(p, small), broken: of(small, p) };
}

/** A node is thought away, and its pod goes to another. */
function restingCase(): Case {
  const moved = pod('moved', { nodeName: 'old' });
  const of = (refusesMovedPods: boolean) =>
    planExample({
      nodes: [makeNode('n', { refusesMovedPods })],
      absentNodes: [makeNode('old', { pods: [moved] })],
      onNodes: { n: [moved] },
    });
  return { breaks: ['restingNodesSpared'], sound: of(false), broken: of(true) };
}

/** Of two node preferences the heavier goes first. */
function relaxationCase(): Case {
  const term = (weight: number) => ({ weight, preference: { matchExpressions: [is('disk', `of-weight-${weight}`)] } });
  const nodeAffinity = { preferredDuringSchedulingIgnoredDuringExecution: [term(1), term(2)] };
  const wishful = pod('p', { affinity: { nodeAffinity } });
  const of = (...weights: readonly number[]) => {
    const relaxations = weights.map((weight) => ({ gaveUp: 'PreferredNodeTerm', term: term(weight) }) as const);
    return planExample({ newNodes: [bought({ pods: [{ pod: wishful, relaxations }] })] });
  };
  return { breaks: ['relaxationsInOrder'], sound: of(2, 1), broken: of(1, 2) };
}

function withUnusable(sound: PlanExample, nodePool: string): PlanExample {
  return { ...sound, plan: { ...sound.plan, unusablePools: [{ nodePool, minValuesUnmet: false, shortOf: [] }] } };
}

/** A type that is reserved or paid for. Only a strict plan must not leave the reservation. */
function reservationCase(): Case {
  const offerings = [
    makeOffering('a', 'on-demand', 0.1),
    makeOffering('a', 'reserved', 0.2, { reservation: { id: 'r-1', capacity: 1 } }),
  ];
  const type = makeType('owned', { capacity: { cpu: '1', memory: '1Gi', pods: '1' }, offerings });
  const of = (reservedCapacity: 'Strict' | 'Fallback') =>
    planExample({
      pools: [{ nodePool: DEFAULT, instanceTypes: [type] }],
      newNodes: [
        bought({
          pods: [makePod('p', { requests: { cpu: '1', memory: '1Gi' } })],
          instanceTypes: ['owned'],
          capacityTypes: ['on-demand', 'reserved'],
          pricePerHour: 0.1,
        }),
      ],
      options: { reservedCapacity },
    });
  return { breaks: ['reservationsHeld'], sound: of('Fallback'), broken: of('Strict') };
}
