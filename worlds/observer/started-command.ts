import type { DisruptionReason } from '@karpenter-ts/apis';

/** A command as the operator's log announces it, before the operator changes anything for it. */
export interface StartedCommand {
  readonly reason: DisruptionReason;
  readonly candidates: readonly CommandCandidate[];
  /** How many NodeClaims are to be created before the candidates go. */
  readonly replacementCount: number;
}

/** By name. */
export interface CommandCandidate {
  readonly node: string;
  readonly nodeClaim: string;
}

interface CommandLine {
  readonly message: string;
  readonly command: string;
  readonly 'replacement-node-count': number;
  readonly 'disrupted-nodes': readonly {
    readonly Node: { readonly name: string };
    readonly NodeClaim: { readonly name: string };
  }[];
}

/** Upstream's words (spec 04 §21): people count these lines. */
const MESSAGE = 'disrupting node(s)';

/** The command that a line of the log announces; undefined for any other line. */
export function findStartedCommand(line: string): StartedCommand | undefined {
  if (!line.includes(`"message":"${MESSAGE}"`)) return undefined;
  const {
    command,
    'disrupted-nodes': nodes,
    'replacement-node-count': replacementCount,
  } = JSON.parse(line) as CommandLine;
  return {
    reason: command.slice(0, command.indexOf('/')) as DisruptionReason,
    candidates: nodes.map(({ Node, NodeClaim }) => ({ node: Node.name, nodeClaim: NodeClaim.name })),
    replacementCount,
  };
}

/** For the journal: `Underutilized: [a, b] -> [1 replacements]`. Without the id, which is random. */
export function describeCommand({ reason, candidates, replacementCount }: StartedCommand): string {
  const nodes = candidates.map(({ node }) => node).join(', ');
  return `${reason}: [${nodes}]${replacementCount > 0 ? ` -> [${replacementCount}]` : ''}`;
}
