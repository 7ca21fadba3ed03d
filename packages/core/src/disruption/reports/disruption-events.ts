import { NODE_CLAIMS, NODE_POOLS, type NodeClaim, type NodePool } from '@karpenter-ts/apis';
import { type Node, NODES } from '@karpenter-ts/kubernetes';
import { type EventDraft, MINUTE, subjectOf } from '@karpenter-ts/runtime';
import type { CommandReason } from '../commands/command.ts';
import { dollars } from '../commands/command-text.ts';

// Reasons and messages are upstream's (spec 04 §19): people alert on them.

/** A Node and its NodeClaim, as far as they exist. Most events are published about both. */
interface Pair {
  readonly node: Node | undefined;
  readonly nodeClaim: NodeClaim | undefined;
}

interface PairEvent {
  readonly reason: string;
  readonly message: string;
  /** Besides the uid. */
  readonly dedupe?: readonly string[];
  readonly dedupeTimeout?: number;
}

function aboutBoth({ node, nodeClaim }: Pair, { dedupe = [], ...event }: PairEvent): readonly EventDraft[] {
  const subjects = [
    ...(node === undefined ? [] : [subjectOf(NODES, node)]),
    ...(nodeClaim === undefined ? [] : [subjectOf(NODE_CLAIMS, nodeClaim)]),
  ];
  return subjects.map((on) => ({ on, type: 'Normal', ...event, dedupe: [on.uid ?? '', ...dedupe] }));
}

/** Why the node may not be disrupted by any method. */
export function disruptionBlocked(pair: Pair, message: string): readonly EventDraft[] {
  return aboutBoth(pair, { reason: 'DisruptionBlocked', message });
}

/** A budget that allows nothing for this reason, whether or not something is being disrupted. */
export function blockedByBudget(nodePool: NodePool, reason: CommandReason): EventDraft {
  return {
    on: subjectOf(NODE_POOLS, nodePool),
    type: 'Normal',
    reason: 'DisruptionBlocked',
    message: `No allowed disruptions for disruption reason ${reason} due to blocking budget`,
    dedupe: [nodePool.metadata.uid ?? '', reason],
    dedupeTimeout: 1 * MINUTE,
  };
}

/**
 * Why the node is not consolidated. `keyedByText`: another reason is published at once. Upstream shows the first reason
 * for fifteen minutes, although it may no longer be true (spec 04 §25-21).
 */
export function unconsolidatable(
  pair: Pair,
  message: string,
  { keyedByText }: { readonly keyedByText: boolean },
): readonly EventDraft[] {
  const dedupe = keyedByText ? [message] : [];
  return aboutBoth(pair, { reason: 'Unconsolidatable', message, dedupe, dedupeTimeout: 15 * MINUTE });
}

/** The command, as text from the node's point of view, and what it saves per hour. */
interface CommandPart {
  readonly text: string;
  readonly savings: number;
}

export function consolidationCandidate(pair: Pair, { text, savings }: CommandPart): readonly EventDraft[] {
  const message = `Consolidation candidate: ${text} (savings: ${dollars(savings)})`;
  return aboutBoth(pair, { reason: 'ConsolidationCandidate', message, dedupe: [text] });
}

export function consolidationRejected(
  pair: Pair,
  { text, savings }: CommandPart,
  category: string,
): readonly EventDraft[] {
  const message = `Consolidation rejected: ${text}, reason: ${category} (savings: ${dollars(savings)})`;
  return aboutBoth(pair, { reason: 'ConsolidationRejected', message, dedupe: [text, category] });
}

/** The score of a consolidation that policy Balanced approved, as text. */
export function consolidationApproved(pair: Pair, message: string): readonly EventDraft[] {
  return aboutBoth(pair, { reason: 'ConsolidationApproved', message });
}

/** The same about the NodePool of a consolidation of several nodes. */
export function poolConsolidationApproved(nodePool: NodePool, message: string): EventDraft {
  const dedupe = [nodePool.metadata.uid ?? ''];
  return { on: subjectOf(NODE_POOLS, nodePool), type: 'Normal', reason: 'ConsolidationApproved', message, dedupe };
}

export function launching(replacement: NodeClaim, reason: CommandReason): EventDraft {
  return aboutReplacement(replacement, 'DisruptionLaunching', `Launching NodeClaim: ${reason}`, reason);
}

export function waitingOnReadiness(replacement: NodeClaim): EventDraft {
  const message = 'Waiting on readiness to continue disruption';
  return aboutReplacement(replacement, 'DisruptionWaitingReadiness', message);
}

function aboutReplacement(
  nodeClaim: NodeClaim,
  reason: string,
  message: string,
  ...dedupe: readonly string[]
): EventDraft {
  const on = subjectOf(NODE_CLAIMS, nodeClaim);
  return { on, type: 'Normal', reason, message, dedupe: [on.uid ?? '', ...dedupe] };
}

export function terminating(node: Node, nodeClaim: NodeClaim, reason: CommandReason): readonly EventDraft[] {
  const event = { reason: 'DisruptionTerminating', dedupe: [reason] };
  return [
    ...aboutBoth({ node, nodeClaim: undefined }, { ...event, message: `Disrupting Node: ${reason}` }),
    ...aboutBoth({ node: undefined, nodeClaim }, { ...event, message: `Disrupting NodeClaim: ${reason}` }),
  ];
}
