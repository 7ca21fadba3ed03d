import { isTrue, type Node } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import {
  type Controller,
  DONE,
  type EventDraft,
  ExpiringMap,
  kindSource,
  MINUTE,
  patchStatus,
  type Result,
  scaleConcurrency,
  subjectOf,
} from '@karpenter-ts/runtime';
import { withCondition } from '../../writes/conditions.ts';
import type { ControllerDeps } from '../../state/controller-deps.ts';
import { nodeClaimKeysOf, findNode } from '../../state/node-nodeclaim-links.ts';
import { isManagedNodeClaim } from '../../state/managed.ts';
import { withNodeName } from '../nodeclaim-logger.ts';
import { findShortfalls, isComparable } from './node-shape.ts';

const SCAN_PERIOD = 10 * MINUTE;

/**
 * `scanned`: when each NodeClaim was last compared with its Node, keyed by uid. Monotonic time, so that a clock jump
 * does not expire an entry.
 */
interface ConsistencyDeps extends ControllerDeps {
  readonly scanned: ExpiringMap<string, number>;
}

/**
 * Reports Nodes that are smaller than their NodeClaim promised (spec 03 §8). A NodeClaim is compared at most every ten
 * minutes, counted from its first comparison. Upstream counts from the launch, and also from a result that was not
 * written.
 */
export function consistencyController(core: ControllerDeps): Controller {
  const { caches, clock, options, provider } = core;
  const scans: ConsistencyDeps = { ...core, scanned: new ExpiringMap(clock, SCAN_PERIOD) };
  return {
    name: 'nodeclaim.consistency',
    kind: NODE_CLAIMS,
    concurrency: scaleConcurrency(options.cpuRequests / 1000, { min: 10, max: 1000 }),
    sources: [
      kindSource(caches.nodeClaims, { when: ({ object }) => isManagedNodeClaim(object, provider) }),
      kindSource(caches.nodes, { keys: (node) => nodeClaimKeysOf(node, core) }),
    ],
    reconcile: async (name, signal, logger) => {
      const nodeClaim = caches.nodeClaims.get(name);
      if (nodeClaim === undefined || !isManagedNodeClaim(nodeClaim, provider)) return DONE;
      return scan({ ...scans, logger: withNodeName(logger, nodeClaim) }, nodeClaim, signal);
    },
  };
}

async function scan(scans: ConsistencyDeps, nodeClaim: NodeClaim, signal: AbortSignal): Promise<Result> {
  const { caches, client, clock, scanned } = scans;
  const { uid = '' } = nodeClaim.metadata;
  const last = scanned.get(uid);
  if (last !== undefined) return { requeueAfter: last + SCAN_PERIOD - clock.elapsed() };
  const node = findNode(nodeClaim, caches);
  if (node === undefined) return DONE; // the Node's event enqueues the NodeClaim again
  const canCompare = isComparable(nodeClaim);
  const checked = check(scans, nodeClaim, canCompare ? node : undefined);
  await patchStatus(client, NODE_CLAIMS, nodeClaim, checked, signal);
  if (!canCompare) return DONE;
  scanned.set(uid, clock.elapsed());
  return { requeueAfter: SCAN_PERIOD };
}

/** The NodeClaim with its condition set. Without a Node to compare there is no issue, as upstream has it. */
function check({ clock, events, logger }: ConsistencyDeps, nodeClaim: NodeClaim, node: Node | undefined): NodeClaim {
  const issues = node === undefined ? [] : findShortfalls(nodeClaim, node);
  for (const issue of issues) {
    logger.info('failed consistency check', { issue });
    events.publish(failedConsistencyCheck(nodeClaim, issue));
  }
  const type = 'ConsistentStateFound';
  if (issues.length > 0) {
    const [reason, message] = ['ConsistencyCheckFailed', 'Consistency Check Failed'];
    return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, { type, status: 'False', reason, message }, clock.now());
  }
  if (isTrue(nodeClaim, type)) return nodeClaim;
  return withCondition(nodeClaim, NODE_CLAIM_CONDITIONS, { type, status: 'True' }, clock.now());
}

function failedConsistencyCheck(nodeClaim: NodeClaim, issue: string): EventDraft {
  return {
    on: subjectOf(NODE_CLAIMS, nodeClaim),
    type: 'Warning',
    reason: 'FailedConsistencyCheck',
    message: issue,
    dedupe: [nodeClaim.metadata.uid ?? '', issue],
  };
}
