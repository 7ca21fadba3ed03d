// Whether our decisions about a cluster are those that upstream took about it. Upstream leaves some things to chance, so
// its result may come with variants: any of them is right, and the one that agrees in most aspects is compared.
import { isDeepStrictEqual } from 'node:util';
import type {
  ClusterDocument,
  CommandEntry,
  MethodEntry,
  OptionEntry,
  ReplacementEntry,
} from '@karpenter-ts/cli/cluster';

/** What is compared of a method. */
export type Aspect =
  | 'blocked'
  | 'candidates'
  | 'order'
  | 'costs'
  | 'decision'
  | 'chosen'
  | 'validation'
  | 'pool'
  | 'types'
  | 'cheapest5'
  | 'offering'
  | 'options';

export interface MethodComparison {
  readonly method: string;
  /** What differs. */
  readonly differs: readonly Aspect[];
  /** Decision and chosen candidates agree. */
  readonly isEqual: boolean;
}

export interface ClusterComparison {
  readonly areBudgetsEqual: boolean;
  readonly methods: readonly MethodComparison[];
  /** Undefined if there is none to compare with. */
  readonly isLoopEqual: boolean | undefined;
  /** Decision and chosen candidates of all methods agree, and all that is certain is equal. */
  readonly passed: boolean;
  /** The prices at the end; undefined without a walk. */
  readonly ends: EndPrices | undefined;
}

export interface EndPrices {
  readonly ours: number;
  readonly cheapest: number;
  readonly middle: number;
  readonly dearest: number;
}

/** These decide whether a cluster passes. */
const NEEDED: readonly Aspect[] = ['blocked', 'candidates', 'order', 'decision', 'chosen'];

export function compareClusters(ours: ClusterDocument, upstream: ClusterDocument): ClusterComparison {
  const areBudgetsEqual = isDeepStrictEqual(ours.budgets, upstream.budgets);
  const methods = Object.entries(upstream.methods).map(([method, theirs]) =>
    compareMethod(method, ours.methods[method as keyof ClusterDocument['methods']] ?? NO_METHOD, theirs),
  );
  const isPassed = ({ differs }: MethodComparison): boolean => !NEEDED.some((aspect) => differs.includes(aspect));
  return {
    areBudgetsEqual,
    methods,
    isLoopEqual: upstream.loop && [upstream.loop, ...(upstream.loop.variants ?? [])].some(isSameMethodAs(ours.loop)),
    passed: areBudgetsEqual && methods.every(isPassed),
    ends: endPrices(ours, upstream),
  };
}

const NO_METHOD: MethodEntry = { candidates: [], blocked: {}, command: null, stable: true };

function isSameMethodAs(ours: ClusterDocument['loop']): (theirs: { readonly method: string }) => boolean {
  return ({ method }) => method === ours?.method;
}

function endPrices({ fixedPoint: ours }: ClusterDocument, { fixedPoint: theirs }: ClusterDocument) {
  if (ours === undefined || theirs === undefined) return undefined;
  const { endPrices: prices } = theirs;
  return {
    ours: ours.endPrice,
    cheapest: prices[0] ?? theirs.endPrice,
    middle: theirs.endPrice,
    dearest: prices.at(-1) ?? theirs.endPrice,
  };
}

function compareMethod(method: string, ours: MethodEntry, theirs: MethodEntry): MethodComparison {
  const names = ({ candidates = [] }: MethodEntry) => candidates.map(({ node }) => node);
  const differs: Aspect[] = [];
  if (!isDeepStrictEqual(ours.blocked ?? {}, theirs.blocked ?? {})) differs.push('blocked');
  if (!isSameSet(names(ours), names(theirs))) differs.push('candidates');
  if (!isDeepStrictEqual(names(ours), names(theirs))) differs.push('order');
  if (!haveSameCosts(ours, theirs)) differs.push('costs');
  const inOrder = method === 'MultiNodeConsolidation';
  const variants = [theirs.command, ...(theirs.variants ?? [])];
  differs.push(...leastDiffering(variants.map((variant) => compareCommands(ours.command, variant, inOrder))));
  if (ours.options !== undefined && !areOptionsEqual(ours.options, theirs.options ?? [])) differs.push('options');
  return { method, differs, isEqual: !differs.includes('decision') && !differs.includes('chosen') };
}

function leastDiffering<T>(differences: readonly (readonly T[])[]): readonly T[] {
  return differences.reduce((least, one) => (one.length < least.length ? one : least));
}

const COSTS = ['price', 'disruptionCost', 'rescheduleDisruptionCost'] as const;

function haveSameCosts(ours: MethodEntry, theirs: MethodEntry): boolean {
  const known = new Map((theirs.candidates ?? []).map((candidate) => [candidate.node, candidate]));
  return (ours.candidates ?? []).every((candidate) => {
    const other = known.get(candidate.node);
    return other === undefined || COSTS.every((cost) => isClose(candidate[cost], other[cost]));
  });
}

function isClose(a: number, b: number): boolean {
  return Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(b));
}

function compareCommands(ours: CommandEntry | null, theirs: CommandEntry | null, inOrder: boolean): readonly Aspect[] {
  if (ours?.decision !== theirs?.decision) return ['decision', 'chosen'];
  if (ours === null || theirs === null) return [];
  const differs: Aspect[] = [];
  const isSame = inOrder ? isDeepStrictEqual : isSameSet;
  if (!isSame(ours.candidates, theirs.candidates)) differs.push('chosen');
  if (categoryOf(ours) !== categoryOf(theirs)) differs.push('validation');
  return [...differs, ...compareReplacements(ours.replacements, theirs.replacements)];
}

function categoryOf({ validation }: CommandEntry): string {
  return validation.split(':', 1)[0]!;
}

/** New nodes are paired by pool and pods; where that fails, what is compared beyond their number differs too. */
function compareReplacements(
  ours: readonly ReplacementEntry[],
  theirs: readonly ReplacementEntry[],
): readonly Aspect[] {
  const keyOf = ({ nodePool, pods = [] }: ReplacementEntry) => JSON.stringify([nodePool, pods]);
  const byKey = new Map(ours.map((one) => [keyOf(one), one]));
  const pairs = theirs.map((one) => [byKey.get(keyOf(one)), one] as const);
  const pools = (list: readonly ReplacementEntry[]) => list.map(({ nodePool }) => nodePool).sort();
  const differs: Aspect[] = [];
  if (!isDeepStrictEqual(pools(ours), pools(theirs))) differs.push('pool');
  const differsIn = (isSame: (a: ReplacementEntry, b: ReplacementEntry) => boolean): boolean =>
    pairs.some(([mine, other]) => mine === undefined || !isSame(mine, other));
  const first5 = ({ instanceTypes }: ReplacementEntry) => instanceTypes.slice(0, 5);
  if (differsIn((a, b) => a.typeCount === b.typeCount && isSameSet(a.instanceTypes, b.instanceTypes))) {
    differs.push('types');
  }
  if (differsIn((a, b) => isDeepStrictEqual(first5(a), first5(b)))) differs.push('cheapest5');
  const isSameOffering = (a: ReplacementEntry, b: ReplacementEntry): boolean =>
    isDeepStrictEqual(a.capacityTypes, b.capacityTypes) && isDeepStrictEqual(a.zones, b.zones);
  if (differsIn(isSameOffering)) differs.push('offering');
  return differs;
}

function areOptionsEqual(ours: readonly OptionEntry[], theirs: readonly OptionEntry[]): boolean {
  const byNode = new Map(ours.map((option) => [option.node, option]));
  return theirs.every((option) => {
    const mine = byNode.get(option.node);
    return mine !== undefined && [option, ...(option.variants ?? [])].some((variant) => isSameOption(mine, variant));
  });
}

function isSameOption(ours: OptionEntry, theirs: OptionEntry): boolean {
  if (ours.decision !== theirs.decision) return false;
  if (ours.decision === 'no-op') return isDeepStrictEqual(ours.events ?? [], theirs.events ?? []);
  const shapes = ({ replacements = [] }: OptionEntry) =>
    replacements.map(({ instanceTypes, typeCount }) => `${typeCount}: ${instanceTypes.slice(0, 5).join()}`).sort();
  return isDeepStrictEqual(shapes(ours), shapes(theirs));
}

function isSameSet(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && new Set([...a, ...b]).size === new Set(a).size;
}
