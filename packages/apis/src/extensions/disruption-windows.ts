import {
  goQuote,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  TimeZone,
  timeZoneNames,
} from '@karpenter-ts/kubernetes';
import type { DisruptionReason } from '../disruption/budgets.ts';
import { findNearMiss } from '../names/near-miss.ts';
import { type ExtensionAnnotation, problem, type Reading, value } from './extension-annotation.ts';
import { unknownName } from './extension-values.ts';

/** What a window can be about: the reasons of budgets, and the expiration that asks first (spec 09 B2). */
export type WindowReason = DisruptionReason | 'Expired';

export const WINDOW_REASONS: readonly WindowReason[] = ['Underutilized', 'Empty', 'Drifted', 'Expired'];

/** When disruption is permitted, or with `freeze` when it is not (spec 09 B1). */
export interface DisruptionWindow {
  readonly when: WeeklyHours | DatedSpan;
  readonly timeZone: TimeZone;
  readonly reasons: ReadonlySet<WindowReason>;
  /** As in budgets; without it, as many as budgets permit. */
  readonly nodes: string | undefined;
  readonly freeze: boolean;
  /** Whether commands that wait for replacements are given up when it closes. */
  readonly hard: boolean;
}

/** On these days of the week, 0 being Sunday. It ends on the next day if `to` is not after `from`. */
interface WeeklyHours {
  readonly kind: 'weekly';
  readonly days: ReadonlySet<number>;
  /** Milliseconds from midnight. */
  readonly from: number;
  readonly to: number;
}

/** Once, between two wall clocks (see `TimeZone`). */
interface DatedSpan {
  readonly kind: 'dated';
  readonly from: number;
  readonly to: number;
}

/** The windows of a pool, and the reasons for which nothing is permitted because they cannot be read. */
export interface DisruptionWindows {
  readonly windows: readonly DisruptionWindow[];
  readonly unreadable: ReadonlySet<WindowReason>;
}

export const NO_WINDOWS: DisruptionWindows = { windows: [], unreadable: new Set() };

const MOST_WINDOWS = 50;
const KEYS = ['days', 'from', 'to', 'timeZone', 'reasons', 'nodes', 'freeze', 'hard'] as const;
const DEFAULT_REASONS: readonly WindowReason[] = ['Underutilized', 'Empty', 'Drifted'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const MINUTE = 60_000;
const NODES = /^((100|[0-9]{1,2})%|[0-9]+)$/; // as the pattern of budgets

const KEY = 'karpenter-ts.dev/disruption-windows';

/** One bad window makes all of them unreadable: what the others permit may be what it was to forbid. */
export const DISRUPTION_WINDOWS: ExtensionAnnotation<DisruptionWindows> = {
  key: KEY,
  extension: 'B1',
  read: readWindows,
  instead: { value: { windows: [], unreadable: new Set(WINDOW_REASONS) }, text: 'no node is disrupted' },
};

/** The time zone of all budgets of a pool that have a schedule. */
export const BUDGET_TIME_ZONE: ExtensionAnnotation<TimeZone | 'Unreadable'> = {
  key: 'karpenter-ts.dev/budget-time-zone',
  extension: 'B1',
  read: readTimeZone,
  instead: { value: 'Unreadable', text: 'no node is disrupted for the reasons of budgets with a schedule' },
};

/** The IANA time zone of this name. */
function readTimeZone(name: string): Reading<TimeZone> {
  const zone = TimeZone.find(name);
  if (zone !== undefined) return value(zone);
  const meant = findNearMiss(name, timeZoneNames());
  return problem(`${goQuote(name)} is no time zone${meant === undefined ? '' : `, did you mean ${meant}?`}`);
}

function readWindows(text: string): Reading<DisruptionWindows> {
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return problem(`it is no JSON: ${error.message}`);
    throw error;
  }
  if (!isJsonArray(parsed)) return problem('it is not a list of windows in JSON');
  if (parsed.length > MOST_WINDOWS) return problem(`it has ${parsed.length} windows, more than ${MOST_WINDOWS}`);
  const windows: DisruptionWindow[] = [];
  for (const [index, item] of parsed.entries()) {
    const reading = isJsonObject(item) ? readWindow(item) : problem<DisruptionWindow>('it is not an object');
    if (reading.kind === 'problem') return problem(`window ${index + 1}: ${reading.problem}`);
    windows.push(reading.value);
  }
  return value({ windows, unreadable: new Set() });
}

/** Every field has a reader, which throws `WindowError`: of several problems the first is told. */
function readWindow(window: JsonObject): Reading<DisruptionWindow> {
  try {
    const unknown = Object.keys(window).find((key) => !KEYS.some((one) => one === key));
    if (unknown !== undefined) throw new WindowError(unknownName(unknown, KEYS));
    const freeze = booleanOf(window, 'freeze');
    const nodes = nodesOf(window['nodes']);
    if (freeze && nodes !== undefined) throw new WindowError('a freeze permits no node, so it has no nodes');
    const timeZone = readTimeZone(textOf(window, 'timeZone') ?? 'UTC');
    if (timeZone.kind === 'problem') throw new WindowError(timeZone.problem);
    return value({
      when: timesOf(window),
      timeZone: timeZone.value,
      reasons: reasonsOf(window['reasons']),
      nodes,
      freeze,
      hard: booleanOf(window, 'hard'),
    });
  } catch (error) {
    if (error instanceof WindowError) return problem(error.message);
    throw error;
  }
}

/** What is wrong with a window; never leaves this file. */
class WindowError extends Error {
  override readonly name = 'WindowError';
}

function timesOf(window: JsonObject): WeeklyHours | DatedSpan {
  const from = textOf(window, 'from') ?? '';
  const to = textOf(window, 'to') ?? '';
  const start = dateTimeOf(from);
  const end = dateTimeOf(to);
  if (start === undefined && end === undefined) {
    return { kind: 'weekly', days: daysOf(textOf(window, 'days')), from: timeOf('from', from), to: timeOf('to', to) };
  }
  if (start === undefined || end === undefined) throw new WindowError('from and to must both have a date, or neither');
  if (window['days'] !== undefined) throw new WindowError('a window with dates has no days');
  if (end <= start) throw new WindowError(`to ${goQuote(to)} is not after from ${goQuote(from)}`);
  return { kind: 'dated', from: start, to: end };
}

/** Milliseconds from midnight of `22:00`. */
function timeOf(field: string, text: string): number {
  const [, hours, minutes] = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(text) ?? [];
  if (hours === undefined) {
    throw new WindowError(
      `${field} ${goQuote(text)} is neither a time such as 22:00 nor a date such as 2026-12-20T00:00`,
    );
  }
  return (Number(hours) * 60 + Number(minutes)) * MINUTE;
}

/** The wall clock of `2026-12-20T00:00`; undefined if the text has not that form, or there is no such day. */
function dateTimeOf(text: string): number | undefined {
  if (!/^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}$/.test(text)) return undefined;
  const wallClock = Date.parse(`${text}Z`);
  const exists = !Number.isNaN(wallClock) && new Date(wallClock).toISOString().startsWith(text);
  if (!exists) throw new WindowError(`there is no ${goQuote(text)}`);
  return wallClock;
}

/** Of `mon-thu,sat`; a range may run past the end of the week. */
function daysOf(text: string | undefined): ReadonlySet<number> {
  if (text === undefined) return new Set(DAYS.keys());
  const days = new Set<number>();
  for (const item of text.split(',')) {
    const [first = '', last = first, ...rest] = item.trim().toLowerCase().split('-');
    const [from, to] = [DAYS.indexOf(first), DAYS.indexOf(last)];
    if (from < 0 || to < 0 || rest.length > 0) {
      throw new WindowError(`days ${goQuote(item)} is neither a day such as mon nor a range such as mon-thu`);
    }
    for (let day = from; ; day = (day + 1) % DAYS.length) {
      days.add(day);
      if (day === to) break;
    }
  }
  return days;
}

function reasonsOf(field: Json | undefined): ReadonlySet<WindowReason> {
  if (field === undefined) return new Set(DEFAULT_REASONS);
  if (!isJsonArray(field) || field.length === 0) throw new WindowError('reasons is not a list of reasons');
  return new Set(
    field.map((item) => {
      const reason = WINDOW_REASONS.find((one) => one === item);
      if (reason === undefined)
        throw new WindowError(unknownName(typeof item === 'string' ? item : JSON.stringify(item), WINDOW_REASONS));
      return reason;
    }),
  );
}

function nodesOf(field: Json | undefined): string | undefined {
  if (field === undefined) return undefined;
  const text = typeof field === 'number' ? String(field) : field;
  if (typeof text === 'string' && NODES.test(text)) return text;
  throw new WindowError('nodes is neither a number nor a percentage such as 20%');
}

function booleanOf(window: JsonObject, key: 'freeze' | 'hard'): boolean {
  const field = window[key] ?? false;
  if (typeof field !== 'boolean') throw new WindowError(`${key} is neither true nor false`);
  return field;
}

function textOf(window: JsonObject, key: 'days' | 'from' | 'to' | 'timeZone'): string | undefined {
  const field = window[key];
  if (field === undefined || typeof field === 'string') return field;
  throw new WindowError(`${key} is not a text`);
}
