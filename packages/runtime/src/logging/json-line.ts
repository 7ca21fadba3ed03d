import { errorText } from './error-text.ts';
import type { Fields, LogEntry } from './log-entry.ts';

/** One JSON object per line, with the keys in the order of spec 05 §6.1. */
export function jsonLine({ level, time, logger, caller, message, fields, error }: LogEntry): string {
  let line = `{"level":"${level.toUpperCase()}","time":"${new Date(time).toISOString()}","logger":"${logger}"`;
  if (caller !== undefined) line += `,"caller":${JSON.stringify(caller)}`;
  line += `,"message":${JSON.stringify(message)}${fieldsText(fields)}`;
  if (error !== undefined && error !== null) line += `,"error":${JSON.stringify(errorText(error))}`;
  return `${line}}\n`;
}

function fieldsText(fields: Fields): string {
  let text = '';
  for (const [key, value] of Object.entries(fields)) {
    if (value !== undefined) text += `,${fieldText(key, value)}`;
  }
  return text;
}

/** A value that cannot be serialised, such as a cyclic object, is replaced by a field `<key>Error`. */
function fieldText(key: string, value: unknown): string {
  try {
    const text = typeof value === 'string' ? JSON.stringify(value) : JSON.stringify(writable('', value), writable);
    return `${JSON.stringify(key)}:${text}`;
  } catch (error) {
    return `${JSON.stringify(`${key}Error`)}:${JSON.stringify(errorText(error))}`;
  }
}

/** Turns values that JSON cannot represent into text. */
function writable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return errorText(value);
  const isForeign = typeof value === 'bigint' || typeof value === 'symbol' || typeof value === 'function';
  return isForeign || (typeof value === 'number' && !Number.isFinite(value)) ? String(value) : value;
}
