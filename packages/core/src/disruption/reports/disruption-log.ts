import { CAPACITY_TYPE_LABEL, INSTANCE_TYPE_LABEL } from '@karpenter-ts/apis';
import { LoggedRef, nameList } from '@karpenter-ts/runtime';
import type { Candidate } from '../candidates/candidate.ts';
import { type Command, decisionOf, type Replacement } from '../commands/command.ts';

const MOST_NAMES = 5;

/** The fields of upstream's log lines about a command (spec 04 §21). */
export function commandFields(command: Command): Readonly<Record<string, unknown>> {
  const { candidates, replacements } = command;
  return {
    decision: decisionOf(command),
    'disrupted-node-count': candidates.length,
    'replacement-node-count': replacements.length,
    'pod-count': candidates.reduce((sum, { reschedulablePods }) => sum + reschedulablePods.length, 0),
    'disrupted-nodes': candidates.map(candidateFields),
    'replacement-nodes': replacements.map((replacement) => replacementFields(replacement, replacements.length === 1)),
  };
}

function candidateFields({ node, nodeClaim, stateNode }: Candidate): Readonly<Record<string, unknown>> {
  const { labels } = stateNode.existing;
  return {
    Node: new LoggedRef({ name: node.metadata.name }),
    NodeClaim: new LoggedRef({ name: nodeClaim.metadata.name }),
    'instance-type': labels[INSTANCE_TYPE_LABEL] ?? '',
    'capacity-type': labels[CAPACITY_TYPE_LABEL] ?? '',
  };
}

/** With many replacements their instance types would fill the line. */
function replacementFields(
  { planned, instanceTypes }: Replacement,
  isOnlyOne: boolean,
): Readonly<Record<string, unknown>> {
  const names = instanceTypes.map(({ name }) => name);
  return {
    'capacity-type': FAVOURED.find((one) => planned.capacityTypes.includes(one)) ?? 'on-demand',
    ...(isOnlyOne && { 'instance-types': nameList(names, MOST_NAMES) }),
  };
}

/** The capacity type that is bought if the replacement may have several. */
const FAVOURED = ['reserved', 'spot'];
