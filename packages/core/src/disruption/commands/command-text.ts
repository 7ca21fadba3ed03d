import { formatPlaces } from '@karpenter-ts/kubernetes';
import { type Candidate, candidateName } from '../candidates/candidate.ts';
import { type Command, decisionOf } from './command.ts';

// Commands as texts of events and logs, in upstream's words (spec 04 §16.1).

/** What is in a text about a command that is not started yet. */
type Planned = Pick<Command, 'candidates' | 'replacements'>;

/** `delete: [a, b]` or `replace: [a] -> [1 replacement]`. */
export function shortCommandText(command: Planned): string {
  return `${decisionOf(command)}: ${nodesText(command)}`;
}

/** The command as an event about one of its candidates shows it, which does not list all the others. */
export function candidateCommandText(command: Planned, candidate: Candidate): string {
  const { length } = command.candidates;
  if (length === 1) return shortCommandText(command);
  return `${decisionOf(command)}: [${candidateName(candidate)}] (part of ${length}-node consolidation)`;
}

/** The command as logs show it, after it got its id: with reason, NodePools and savings. */
export function fullCommandText(command: Pick<Command, 'reason' | 'savings'> & Planned, id: string): string {
  const pools = new Set(command.candidates.map(({ pool }) => pool.nodePool.metadata.name));
  const nodes = `nodepools=[${[...pools].join(',')}]: ${nodesText(command)}`;
  return `${command.reason}/${id}: ${decisionOf(command)}: ${nodes} (savings: ${dollars(command.savings)})`;
}

/** An hourly price in a sentence: `$0.13`. */
export function dollars(amount: number): string {
  return `$${formatPlaces(amount, 2)}`;
}

function nodesText({ candidates, replacements }: Planned): string {
  const sources = `[${candidates.map(candidateName).join(', ')}]`;
  if (replacements.length === 0) return sources;
  return `${sources} -> [${replacements.length} ${replacements.length === 1 ? 'replacement' : 'replacements'}]`;
}
