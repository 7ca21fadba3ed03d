import { HOSTNAME_LABEL, isSameTaint, type NodeClaim, UNREGISTERED_TAINT } from '@karpenter-ts/apis';
import type { Node } from '@karpenter-ts/kubernetes';
import {
  type CancellableClient,
  type Clock,
  type Controller,
  type Instant,
  type Logger,
  MINUTE,
  singleton,
} from '@karpenter-ts/runtime';
import type { KwokProvider } from './kwok-provider.ts';
import { isKwokNode, nodeNameOf } from './node.ts';
import { deleteNode } from './node-deletion.ts';
import type { KwokReader } from './reader.ts';
import { KWOK_NODE_CLASSES } from './resource-types.ts';

const INTERVAL = 2 * MINUTE; // as garbage collection of NodeClaims

/** Younger Nodes are left alone: their NodeClaim may only not have arrived in a cache. */
const LEAST_AGE = 5 * MINUTE;

/** What the sweep stands on. */
export interface SweepDeps {
  readonly client: CancellableClient;
  readonly clock: Clock;
  readonly reader: KwokReader;
  readonly provider: KwokProvider;
}

/**
 * Cleans up after stops of the process, which upstream does not. At the start it launches again what had not registered
 * when the process stopped. From time to time it deletes Nodes that never registered and whose NodeClaim is gone.
 */
export function sweepController({ client, clock, reader, provider }: SweepDeps): Controller {
  let hasResumed = false;

  /** A NodeClaim that fails must not keep the others waiting. */
  async function resume(nodeClaim: NodeClaim, signal: AbortSignal, logger: Logger): Promise<void> {
    const claimLogger = logger.with({ NodeClaim: { name: nodeClaim.metadata.name } });
    try {
      if (await provider.resume(nodeClaim, signal)) claimLogger.info('resumed node registration');
    } catch (error) {
      claimLogger.error('failed resuming node registration', error);
    }
  }

  return singleton('kwok.sweep', async (signal, logger) => {
    const [nodes, nodeClaims] = await Promise.all([reader.listNodes(signal), reader.listNodeClaims(signal)]);
    if (!hasResumed) {
      for (const nodeClaim of findWithoutNode(nodes, nodeClaims)) await resume(nodeClaim, signal, logger);
      hasResumed = true;
    }
    for (const { metadata } of findOrphans(nodes, nodeClaims, clock.now())) {
      await deleteNode(client, metadata.name, signal);
      logger.info('deleted orphaned node', { Node: { name: metadata.name } });
    }
    return { requeueAfter: INTERVAL };
  });
}

/** Launched NodeClaims whose Node does not exist yet. */
function findWithoutNode(nodes: readonly Node[], nodeClaims: readonly NodeClaim[]): readonly NodeClaim[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name));
  return nodeClaims.filter(
    (nodeClaim) =>
      isOurs(nodeClaim) &&
      !nodeClaim.metadata.deletionTimestamp &&
      nodeClaim.status?.providerID !== undefined &&
      !isRegistered(nodeClaim) &&
      !names.has(nodeNameOf(nodeClaim.status.providerID)),
  );
}

/** Nodes that never registered and that no NodeClaim waits for. */
function findOrphans(nodes: readonly Node[], nodeClaims: readonly NodeClaim[], now: Instant): readonly Node[] {
  const launched = new Set(nodeClaims.map(({ status }) => status?.providerID));
  const launching = new Set(
    nodeClaims.filter(({ status }) => !status?.providerID).map(({ metadata }) => metadata.name),
  );
  return nodes.filter(
    (node) =>
      isKwokNode(node) &&
      !node.metadata.deletionTimestamp &&
      (node.spec?.taints ?? []).some((taint) => isSameTaint(taint, UNREGISTERED_TAINT)) &&
      now - Date.parse(node.metadata.creationTimestamp ?? '') >= LEAST_AGE &&
      !launched.has(node.spec?.providerID) &&
      !launching.has(node.metadata.labels?.[HOSTNAME_LABEL] ?? ''),
  );
}

function isOurs({ spec }: NodeClaim): boolean {
  const { group, kind } = spec.nodeClassRef;
  return group === KWOK_NODE_CLASSES.group && kind === KWOK_NODE_CLASSES.kind;
}

function isRegistered({ status }: NodeClaim): boolean {
  return status?.conditions?.some(({ type, status: state }) => type === 'Registered' && state === 'True') ?? false;
}
