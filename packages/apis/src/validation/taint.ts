import { goQuote, qualifiedNameProblems, type Taint } from '@karpenter-ts/kubernetes';
import { error, type Problem } from './problem.ts';

/** The two lists a Node gets its taints from; a key and effect may occur once in both together. */
export interface TaintLists {
  readonly taints?: readonly Taint[] | undefined;
  readonly startupTaints?: readonly Taint[] | undefined;
}

const EFFECTS: ReadonlySet<string> = new Set(['NoSchedule', 'PreferNoSchedule', 'NoExecute', '']);

/** Problems of the taints a NodePool puts on its Nodes. */
export function validateTaints(lists: TaintLists, path: string): readonly Problem[] {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  for (const field of ['taints', 'startupTaints'] as const) {
    for (const [index, taint] of (lists[field] ?? []).entries()) {
      const at = `${path}.${field}[${index}]`;
      problems.push(...validateTaint(taint, at, field));
      const pair = `${taint.key}=${taint.effect}`;
      if (seen.has(pair)) problems.push(error(at, `duplicate taint Key/Effect pair ${pair}`));
      seen.add(pair);
    }
  }
  return problems;
}

function validateTaint({ key, value = '', effect }: Taint, at: string, field: string): readonly Problem[] {
  const invalid = (member: string, problem: string) =>
    error(`${at}.${member}`, `invalid value: ${problem} in ${field}`);
  return [
    ...qualifiedNameProblems(key).map((problem) => invalid('key', problem)),
    ...(value === '' ? [] : qualifiedNameProblems(value).map((problem) => invalid('value', problem))),
    ...(EFFECTS.has(effect) ? [] : [invalid('effect', goQuote(effect))]),
  ];
}
