import {
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  KWOK_NODE_LABELS,
  type NodeClaim,
  nodeClassLabel,
  type RequirementSpec,
  UNREGISTERED_TAINT,
} from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import { allocatableResources } from '@karpenter-ts/scheduling';
import type { Catalogue } from './catalogue/catalogue.ts';
import { SeededRng } from './seeded-rng.ts';
import { nodeName } from './node-name.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';
import { type Selection, selectInstance } from './selection.ts';

const PREFIX = 'kwok://';
const FAKE = 'fake';

/** Upstream's one partition; its kwok controllers select by it. */
const PARTITION = 'a';

/**
 * Returns the Node that represents the NodeClaim's instance. Its name and zone follow from the NodeClaim alone, so the
 * same NodeClaim always gets the same instance. Throws as `selectInstance` does.
 */
export function nodeFor(nodeClaim: NodeClaim, catalogue: Catalogue): Node {
  const { metadata, spec } = nodeClaim;
  const rng = new SeededRng(metadata.uid ?? metadata.name);
  const name = nodeName(metadata.name, rng);
  const selection = selectInstance(nodeClaim, catalogue, rng);
  const requests = spec.resources?.requests ?? {};
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: labelsFor(nodeClaim, selection),
      annotations: { ...metadata.annotations, [KWOK_NODE_LABELS.node]: FAKE },
    },
    spec: { providerID: `${PREFIX}${name}`, taints: [UNREGISTERED_TAINT] },
    status: {
      capacity: requests, // upstream's; tests count on it
      allocatable: { ...requests, ...allocatableResources(selection.type, selection.offering) },
      phase: 'Pending',
    },
  };
}

/** The Node as the claim providers answer with. */
export function toNodeClaim({ metadata, spec, status }: Node): NodeClaim {
  const { group, kind } = KWOK_NODE_CLASSES;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: metadata.name,
      labels: metadata.labels ?? {},
      annotations: { ...metadata.annotations, [KWOK_NODE_LABELS.node]: FAKE },
    },
    spec: {
      nodeClassRef: { group, kind, name: metadata.labels?.[nodeClassLabel(KWOK_NODE_CLASSES)] ?? '' },
      requirements: [],
      expireAfter: 'Never',
    },
    status: {
      nodeName: metadata.name,
      ...(spec?.providerID && { providerID: spec.providerID }),
      ...(status?.capacity && { capacity: status.capacity }),
      ...(status?.allocatable && { allocatable: status.allocatable }),
    },
  };
}

/** Whether a Node is one of ours. */
export function isKwokNode({ spec }: Node): boolean {
  return spec?.providerID?.startsWith(PREFIX) ?? false;
}

/** The name of the Node a provider id stands for. */
export function nodeNameOf(providerId: string): string {
  return providerId.replaceAll(PREFIX, '');
}

/** In upstream's order: what comes later wins. */
function labelsFor({ metadata, spec }: NodeClaim, { type, offering }: Selection): Readonly<Record<string, string>> {
  return {
    ...metadata.labels,
    ...singleValues(spec.requirements),
    [INSTANCE_TYPE_LABEL]: type.name,
    ...singleValues(type.requirements),
    ...singleValues(offering.requirements),
    [KWOK_NODE_LABELS.instancePrice]: offering.pricePerHour.toFixed(6),
    [KWOK_NODE_LABELS.partition]: PARTITION,
    [HOSTNAME_LABEL]: metadata.name,
    [KWOK_NODE_LABELS.node]: FAKE,
  };
}

function singleValues(requirements: readonly RequirementSpec[]): Readonly<Record<string, string>> {
  const single = requirements.filter(({ operator, values }) => operator === 'In' && values?.length === 1);
  return Object.fromEntries(single.map(({ key, values }) => [key, values![0]!]));
}
