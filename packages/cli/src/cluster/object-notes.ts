import {
  CAPACITY_TYPE_LABEL,
  INSTANCE_TYPE_LABEL,
  NODEPOOL_LABEL,
  type NodeClaim,
  reviewAnnotations,
  ZONE_LABEL,
} from '@karpenter-ts/apis';
import { findFaultyBudgets, OfferingPrices, type OfflineObjects } from '@karpenter-ts/core';
import { objectKey } from '@karpenter-ts/kubernetes';

const MOST_NAMED = 3;

/**
 * What the controller would pass over, and a reader of the plan would not see: it reports some of it as events or in its
 * log, which a plan has not, and knows the rest from the cloud.
 */
export function findObjectNotes(objects: OfflineObjects): readonly string[] {
  const { catalogue, nodePools, options } = objects;
  const isEmpty = catalogue.instanceTypes.length === 0;
  const types = isEmpty ? ['the catalogue has no instance types: no node can be bought'] : [];
  const annotations = nodePools.flatMap((nodePool) =>
    (reviewAnnotations(nodePool, options.extensions)?.problems ?? []).map(
      (problem) => `NodePool ${nodePool.metadata.name}: annotation ${problem}`,
    ),
  );
  const budgets = findFaultyBudgets(nodePools).map(
    ({ nodePool, problems }) =>
      `NodePool ${nodePool.metadata.name}: none of its nodes may be disrupted while its budgets cannot be read: ${problems.join('; ')}`,
  );
  return [
    ...types,
    ...annotations,
    ...budgets,
    ...findStrayPods(objects),
    ...findUnpriced(objects),
    ...findPoolless(objects),
  ];
}

function findStrayPods({ nodes, pods }: OfflineObjects): readonly string[] {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const stray = pods.filter(({ spec }) => spec.nodeName && !known.has(spec.nodeName));
  if (stray.length === 0) return [];
  const named = listNames(stray.map(({ metadata, spec }) => `${objectKey(metadata)} on ${spec.nodeName}`));
  return [`pods that are bound to Nodes that are not given are left out: ${named}`];
}

function findUnpriced({ catalogue, nodeClaims }: OfflineObjects): readonly string[] {
  const prices = new OfferingPrices();
  const types = new Map(catalogue.instanceTypes.map((type) => [type.name, type]));
  const hasPrice = ({ metadata: { labels = {} } }: NodeClaim): boolean => {
    const purchase = { zone: labels[ZONE_LABEL] ?? '', capacityType: labels[CAPACITY_TYPE_LABEL] ?? '' };
    return prices.find(types.get(labels[INSTANCE_TYPE_LABEL] ?? ''), purchase) !== undefined;
  };
  const unpriced = nodeClaims.filter((claim) => claim.status?.providerID && !hasPrice(claim));
  if (unpriced.length === 0) return [];
  const named = listNames(
    unpriced.map(({ metadata: { name, labels = {} } }) => {
      const bought = [INSTANCE_TYPE_LABEL, ZONE_LABEL, CAPACITY_TYPE_LABEL].map((key) => labels[key] ?? 'none');
      return `${name} (${bought.join('/')})`;
    }),
  );
  return [`NodeClaims whose instance type, zone or capacity type the catalogue has not count as free: ${named}`];
}

function findPoolless({ nodePools, nodeClaims }: OfflineObjects): readonly string[] {
  const known = new Set(nodePools.map(({ metadata }) => metadata.name));
  const poolless = nodeClaims.filter(({ metadata }) => !known.has(metadata.labels?.[NODEPOOL_LABEL] ?? ''));
  if (poolless.length === 0) return [];
  const named = listNames(
    poolless.map(({ metadata }) => `${metadata.name} (${metadata.labels?.[NODEPOOL_LABEL] ?? 'none'})`),
  );
  return [`NodeClaims whose label ${NODEPOOL_LABEL} names none of the NodePools: ${named}`];
}

function listNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMED ? ` and ${names.length - MOST_NAMED} more` : '';
  return `${names.slice(0, MOST_NAMED).join(', ')}${more}`;
}
