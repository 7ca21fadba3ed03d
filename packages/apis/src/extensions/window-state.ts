import { nodesOf, UNLIMITED } from '../disruption/budgets.ts';
import type { DisruptionWindow, DisruptionWindows, WindowReason } from './disruption-windows.ts';

/** What windows permit for one reason now. */
export interface WindowState {
  readonly verdict: WindowVerdict;
  /** When that may change; undefined if never. */
  readonly nextChange: number | undefined;
}

export type WindowVerdict =
  /** No window is about the reason: budgets decide alone. */
  | { readonly kind: 'Unnamed' }
  /** So many nodes at most: the largest number of the windows that are open. */
  | { readonly kind: 'Open'; readonly nodes: number }
  /** Windows are about the reason, and none of them is open. */
  | { readonly kind: 'Closed' }
  /** A freeze holds, whatever else is open. */
  | { readonly kind: 'Frozen' }
  /** What the windows are cannot be read. */
  | { readonly kind: 'Unreadable' };

/** The input of `windowState`. Percentages refer to `nodeCount`; `now` is in milliseconds since the epoch. */
export interface WindowQuestion {
  readonly windows: DisruptionWindows;
  readonly reason: WindowReason;
  readonly nodeCount: number;
  readonly now: number;
}

const DAY = 24 * 60 * 60 * 1000;
/** A window that is open on one day of the week opens again within eight days, whatever the clocks do. */
const DAYS_AHEAD = 8;

/** What the windows of a pool permit (spec 09 B1). */
export function windowState(question: WindowQuestion): WindowState {
  const { windows, reason, now } = question;
  const named = windows.windows.filter(({ reasons }) => reasons.has(reason));
  const changes = named.flatMap((window) => spansAround(window, now)).flatMap(({ from, to }) => [from, to]);
  const ahead = changes.filter((at) => at > now);
  return { verdict: verdictOf(question, named), nextChange: ahead.length === 0 ? undefined : Math.min(...ahead) };
}

/**
 * Whether a command that began at `startedAt` must be given up, because a window with `hard` has closed, or a freeze
 * with `hard` has begun. A command that another window would have permitted to begin goes on.
 */
export function isCutOff(question: WindowQuestion & { readonly startedAt: number }): boolean {
  const { windows, reason, now, startedAt } = question;
  const { verdict } = windowState(question);
  const named = windows.windows.filter(({ reasons }) => reasons.has(reason));
  const openAt = (at: number, freeze: boolean): readonly DisruptionWindow[] =>
    named.filter((window) => window.freeze === freeze && isOpen(window, at));
  if (verdict.kind === 'Frozen') return openAt(now, true).some(({ hard }) => hard);
  const before = openAt(startedAt, false);
  return verdict.kind === 'Closed' && before.length > 0 && before.every(({ hard }) => hard);
}

function verdictOf(
  { windows, reason, nodeCount, now }: WindowQuestion,
  named: readonly DisruptionWindow[],
): WindowVerdict {
  if (windows.unreadable.has(reason)) return { kind: 'Unreadable' };
  const open = named.filter((window) => isOpen(window, now));
  if (open.some(({ freeze }) => freeze)) return { kind: 'Frozen' };
  if (named.every(({ freeze }) => freeze)) return { kind: 'Unnamed' };
  if (open.length === 0) return { kind: 'Closed' };
  return { kind: 'Open', nodes: Math.max(...open.map(({ nodes }) => limitOf(nodes, nodeCount))) };
}

/** Readers of windows let no other text pass, so it is a number. */
function limitOf(nodes: string | undefined, nodeCount: number): number {
  const limit = nodes === undefined ? UNLIMITED : nodesOf(nodes, nodeCount);
  return typeof limit === 'number' ? limit : 0;
}

function isOpen(window: DisruptionWindow, now: number): boolean {
  return spansAround(window, now).some(({ from, to }) => from <= now && now < to);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * When the window is open from yesterday on, for as long as it takes to see it open again. It opens at the first
 * instant at which clocks show `from` and closes at the last one at which they show `to`, so it covers a repeated hour
 * twice; a time that is skipped counts as the end of the gap.
 */
function spansAround({ when, timeZone }: DisruptionWindow, now: number): readonly Span[] {
  const spanOf = (from: number, to: number): Span => ({
    from: timeZone.firstInstantOf(from),
    to: timeZone.lastInstantOf(to),
  });
  if (when.kind === 'dated') return [spanOf(when.from, when.to)];
  const today = Math.floor(timeZone.wallClock(now) / DAY) * DAY;
  const length = when.to <= when.from ? when.to + DAY : when.to;
  return Array.from({ length: DAYS_AHEAD + 2 }, (_, i) => today + (i - 1) * DAY)
    .filter((day) => when.days.has(new Date(day).getUTCDay()))
    .map((day) => spanOf(day + when.from, day + length));
}
