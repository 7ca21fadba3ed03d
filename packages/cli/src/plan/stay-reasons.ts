import {
  type Attempt,
  candidateName,
  type CandidateLook,
  METHODS,
  type MethodName,
  type OfflinePass,
  renderBlock,
  renderIneligibility,
  renderNoConsolidation,
} from '@karpenter-ts/core';
import type { BlockReason, Ineligibility } from '@karpenter-ts/core';

/** Looks at each candidate, by method, as far as a method looks at candidates one by one. */
export type Looks = ReadonlyMap<MethodName, readonly CandidateLook[]>;

/**
 * Why each node stays that none of the methods disrupts now. Nodes that a command would remove are not among them. Where
 * upstream has a text, it is upstream's.
 */
export function stayReasons(
  pass: OfflinePass,
  attempts: ReadonlyMap<MethodName, Attempt | undefined>,
  looks: Looks,
): Readonly<Record<string, readonly string[]>> {
  const reasons = new Map<string, Set<string>>();
  const add = (node: string, text: string): void => {
    const known = reasons.get(node);
    if (known === undefined) reasons.set(node, new Set([text]));
    else known.add(text);
  };
  for (const [method, attempt] of attempts) {
    for (const { stateNode, why } of pass.scan[METHODS[method].class].blocked) {
      add((stateNode.node ?? stateNode.nodeClaim)?.metadata.name ?? stateNode.providerId, blockText(why));
    }
    const { eligible, ineligible } = pass.candidatesOf(method);
    for (const { candidate, why } of ineligible) {
      const text = ineligibilityText(why);
      if (text !== undefined) add(candidateName(candidate), text);
    }
    const { byPool } = pass.allowances(method);
    for (const candidate of eligible) {
      const { name } = candidate.pool.nodePool.metadata;
      if ((byPool.get(name)?.remaining ?? 0) > 0) continue;
      add(
        candidateName(candidate),
        `the budgets of NodePool "${name}" allow no disruption for ${METHODS[method].reason} now`,
      );
    }
    if (attempt?.validation.kind !== 'Failed') continue;
    for (const candidate of attempt.computed.candidates) {
      add(candidateName(candidate), 'the command to remove it would be given up after its 15 s wait');
    }
  }
  for (const look of [...looks.values()].flat()) {
    const text = lookText(look);
    if (text !== undefined) add(candidateName(look.candidate), text);
  }
  for (const attempt of attempts.values()) {
    if (attempt === undefined || attempt.validation.kind === 'Failed') continue;
    for (const candidate of attempt.validation.command.candidates) reasons.delete(candidateName(candidate));
  }
  const sorted = [...reasons].sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(sorted.map(([node, texts]) => [node, [...texts]]));
}

function blockText(why: BlockReason): string {
  const text = renderBlock(why);
  if (text !== undefined) return text;
  return why.kind === 'Unmanaged' ? 'no NodeClaim: Karpenter does not manage it' : 'a command disrupts it already';
}

/** Undefined if the reason only says that another method is in charge. */
function ineligibilityText(why: Ineligibility): string | undefined {
  switch (why.kind) {
    case 'Empty':
    case 'NotEmpty':
    case 'NotDrifted':
      return undefined;
    case 'NotConsolidatable':
      return 'its NodeClaim is not Consolidatable: consolidateAfter has not elapsed since the last pod came or went';
    case 'StaticPool':
      return 'its NodePool has a fixed number of nodes';
    case 'MethodOff':
      return 'its NodePool switches this kind of consolidation off';
    case 'TooYoung':
      return 'it is younger than the minimum age of its NodePool';
    default:
      return renderIneligibility(why);
  }
}

function lookText(look: CandidateLook): string | undefined {
  switch (look.kind) {
    case 'Command':
      return `another node goes first: it could go too (${look.command.reason.toLowerCase()})`;
    case 'Unschedulable':
      return 'Not all pods would schedule';
    case 'NotApproved':
      return 'its NodePool is Balanced: the savings are too small for the disruption';
    case 'NoOption':
      return renderNoConsolidation(look.look.option.why);
    default:
      return look satisfies never;
  }
}
