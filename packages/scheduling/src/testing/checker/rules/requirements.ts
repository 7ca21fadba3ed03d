import { admits, admitsAbsence, formatRequirement, type Requirement } from '@karpenter-ts/apis';
import { podName } from '../../../model/pods/pod-id.ts';
import { implies } from '../demands.ts';
import type { Rule } from '../rule.ts';
import { type ExistingTarget, targetsOf, type PlannedTarget } from '../checked-plan.ts';

/** A new node is one its pool may have: it only narrows what the pool allows (§7). */
export const poolRequirementsKept: Rule = ({ planned }) =>
  planned.flatMap(({ hostname, node, pool }) =>
    [...pool.template.values()]
      .filter((asked) => !implies(node.requirements.get(asked.key), asked))
      .map((asked) => `${hostname} may break its pool's ${formatRequirement(asked)}`),
  );

/** A node meets the selector, the required term in force and the preference kept of every pod on it (§§9, 18). */
export const podRequirementsMet: Rule = (checked) =>
  targetsOf(checked).flatMap((target) =>
    target.placed.flatMap((placed) =>
      placed.demands.expressions
        .filter((asked) => !(target.kind === 'planned' ? willMeet(target, asked) : meets(target, asked)))
        .map((asked) => `${target.hostname} may break ${formatRequirement(asked)} of ${podName(placed.pod)}`),
    ),
  );

function willMeet({ node }: PlannedTarget, asked: Requirement): boolean {
  return implies(node.requirements.get(asked.key), asked);
}

/** Its labels are what they are, whoever is there: upstream invents some (weakness 19). */
function meets({ node }: ExistingTarget, asked: Requirement): boolean {
  const value = node.labels[asked.key];
  return value === undefined ? admitsAbsence(asked) : admits(asked, value);
}
