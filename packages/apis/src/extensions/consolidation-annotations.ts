import { goQuote, type LabelSelector, LabelSelectorError, parseLabelSelector } from '@karpenter-ts/kubernetes';
import { type ExtensionAnnotation, problem, type Reading, value } from './extension-annotation.ts';
import { findDuration, readDuration, readList, splitList, unknownName } from './extension-values.ts';

/** What consolidation may do with nodes (spec 09 B3). */
export type ConsolidationKind = (typeof CONSOLIDATION_KINDS)[number];

export const CONSOLIDATION_KINDS = [
  'empty',
  'single-delete',
  'single-replace',
  'multi-delete',
  'multi-replace',
] as const;

/** How long a node must be quiet, in milliseconds; `Never` keeps it. Without a value, `consolidateAfter` of the pool. */
export interface ConsolidationWaits {
  readonly empty: number | 'Never' | undefined;
  readonly underutilized: number | 'Never' | undefined;
}

/** Pods whose coming and going leaves a node quiet (spec 09 B4). */
export interface IgnoredPods {
  /** Those of Jobs. */
  readonly jobs: boolean;
  readonly selector: LabelSelector | undefined;
}

const OLDEST_MINIMUM = 24 * 60 * 60 * 1000;
const SELECTOR = 'selector:';

/** The kinds of consolidation that the pool permits. */
export const CONSOLIDATION_METHODS: ExtensionAnnotation<ReadonlySet<ConsolidationKind>> = {
  key: 'karpenter-ts.dev/consolidation-methods',
  extension: 'B3',
  read: (text) => readList(text, CONSOLIDATION_KINDS),
  instead: { value: new Set(), text: 'no node is consolidated' },
};

/** How long empty and underutilized nodes must be quiet. */
export const CONSOLIDATE_AFTER: ExtensionAnnotation<ConsolidationWaits> = {
  key: 'karpenter-ts.dev/consolidate-after',
  extension: 'B4',
  read: readWaits,
  instead: { value: { empty: 'Never', underutilized: 'Never' }, text: 'no node is consolidated' },
};

/** The pods that do not count as activity on a node. */
export const CONSOLIDATE_AFTER_IGNORE: ExtensionAnnotation<IgnoredPods> = {
  key: 'karpenter-ts.dev/consolidate-after-ignore',
  extension: 'B4',
  read: readIgnoredPods,
  instead: { value: { jobs: false, selector: undefined }, text: 'no pod is ignored' },
};

/** How long a node stays after its initialization, in milliseconds. */
export const MIN_NODE_AGE: ExtensionAnnotation<number> = {
  key: 'karpenter-ts.dev/min-node-age',
  extension: 'B4',
  read: readAge,
  instead: { value: Number.POSITIVE_INFINITY, text: 'no node is consolidated' },
};

/** As `empty=1m,underutilized=2h`; one of the two is enough. */
function readWaits(text: string): Reading<ConsolidationWaits> {
  const waits: { empty: ConsolidationWaits['empty']; underutilized: ConsolidationWaits['underutilized'] } = {
    empty: undefined,
    underutilized: undefined,
  };
  for (const item of splitList(text)) {
    const [name = '', ...rest] = item.split('=');
    if (name !== 'empty' && name !== 'underutilized') return problem(unknownName(name, Object.keys(waits)));
    if (waits[name] !== undefined) return problem(`${goQuote(name)} is written twice`);
    const written = rest.join('=');
    const wait = written === 'Never' ? 'Never' : findDuration(written);
    if (wait === undefined) return problem(`${goQuote(item)} has neither a duration such as 1h30m nor Never`);
    waits[name] = wait;
  }
  return value(waits);
}

/** `jobs`, `selector:tier=batch`, or both with a comma between them; a selector has commas of its own, so it is last. */
function readIgnoredPods(text: string): Reading<IgnoredPods> {
  const [first = '', ...others] = splitList(text);
  const jobs = first === 'jobs';
  const rest = jobs ? others.join(',') : text.trim();
  if (jobs && others.length === 0) return value({ jobs, selector: undefined });
  if (!rest.startsWith(SELECTOR)) {
    return problem(`${goQuote(jobs ? rest : first)} is neither jobs nor a selector such as selector:tier=batch`);
  }
  const written = rest.slice(SELECTOR.length).trim();
  if (written === '') return problem('the selector is empty and would mean every pod');
  try {
    return value({ jobs, selector: parseLabelSelector(written) });
  } catch (error) {
    if (error instanceof LabelSelectorError) return problem(`${goQuote(written)} is no selector: ${error.message}`);
    throw error;
  }
}

function readAge(text: string): Reading<number> {
  const reading = readDuration(text);
  if (reading.kind === 'problem' || reading.value <= OLDEST_MINIMUM) return reading;
  return problem(`${goQuote(text)} is more than 24h`);
}
