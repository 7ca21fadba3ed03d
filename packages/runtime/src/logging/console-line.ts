import { styleText } from 'node:util';
import { errorText } from './error-text.ts';
import type { Level, LogEntry } from './log-entry.ts';
import { valueText } from './value-text.ts';

const COLORS = { debug: 'gray', info: 'green', error: 'red' } as const satisfies Record<Level, string>;

/** A line in the format for people: time of day, level, message, then `key=value`. */
export function consoleLine(entry: LogEntry, hasColors: boolean): string {
  const paint = (color: Parameters<typeof styleText>[0], text: string): string =>
    hasColors ? styleText(color, text, { validateStream: false }) : text;
  const words = [
    paint('dim', new Date(entry.time).toISOString().slice(11, 23)),
    paint(COLORS[entry.level], entry.level.toUpperCase().padEnd(5)),
    paint('bold', entry.message),
  ];
  for (const [key, value] of Object.entries(entry.fields)) {
    if (value !== undefined) words.push(`${paint('dim', `${key}=`)}${quoteIfNeeded(valueText(value))}`);
  }
  if (entry.error !== undefined && entry.error !== null)
    words.push(paint('red', `error=${JSON.stringify(errorText(entry.error))}`));
  if (entry.caller !== undefined) words.push(paint('dim', `(${entry.caller})`));
  return `${words.join(' ')}\n`;
}

/**
 * Whether to write colours to a stream: if it is a terminal, unless the user sets it otherwise (no-color.org,
 * FORCE_COLOR).
 */
export function hasColors(
  stream: { readonly isTTY?: boolean },
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  if (env['NO_COLOR'] !== undefined && env['NO_COLOR'] !== '') return false;
  if (env['FORCE_COLOR'] !== undefined) return env['FORCE_COLOR'] !== '0' && env['FORCE_COLOR'] !== 'false';
  return stream.isTTY === true && env['TERM'] !== 'dumb';
}

function quoteIfNeeded(text: string): string {
  return text === '' || /[\s"=]/.test(text) ? JSON.stringify(text) : text;
}
