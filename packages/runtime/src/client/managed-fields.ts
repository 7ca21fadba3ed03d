/**
 * Removes `object.metadata.managedFields` from the line of a watch event before it is parsed.
 *
 * No reader of a cache needs them, and in a pod of 5.4 kB they are a third of the text and two thirds of the objects.
 * Removing them takes 5 µs and saves 25 of 50 µs of parsing, and garbage collection.
 *
 * Expects JSON without white space, as API servers write it. Other text is returned unchanged.
 */
export function withoutManagedFields(line: string): string {
  if (!line.includes('"managedFields":')) return line;
  const object = findValue(line, 0, 'object');
  const metadata = object < 0 ? -1 : findValue(line, object, 'metadata');
  const fields = metadata < 0 ? -1 : findValue(line, metadata, 'managedFields');
  if (fields < 0) return line;
  const start = fields - '"managedFields":'.length;
  const end = endOfValue(line, fields);
  // One comma is removed as well: the one before, or the one after if this is the first member.
  if (line.charCodeAt(start - 1) === COMMA) return line.slice(0, start - 1) + line.slice(end);
  return line.slice(0, start) + line.slice(line.charCodeAt(end) === COMMA ? end + 1 : end);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** The position of the value of member `name` in the object that starts at `open`; −1 if there is none. */
function findValue(text: string, open: number, name: string): number {
  if (text.charCodeAt(open) !== OPEN_OBJECT) return -1;
  for (let at = open + 1; text.charCodeAt(at) === QUOTE; at++) {
    const end = endOfString(text, at);
    if (text.charCodeAt(end) !== COLON) return -1;
    if (end - at === name.length + 2 && text.startsWith(name, at + 1)) return end + 1;
    at = endOfValue(text, end + 1);
    if (text.charCodeAt(at) !== COMMA) return -1;
  }
  return -1;
}

/** The position after the value that starts at `at`; the end of the text if the value is incomplete. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    switch (text.charCodeAt(i)) {
      case QUOTE:
        i = endOfString(text, i) - 1;
        if (depth === 0) return i + 1;
        break;
      case OPEN_OBJECT:
      case OPEN_LIST:
        depth++;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        if (depth === 0) return i; // the end of a number or word that is the last member
        if (--depth === 0) return i + 1;
        break;
      case COMMA:
        if (depth === 0) return i;
        break;
    }
  }
  return text.length;
}

/** The position after the string that starts at `at`. */
function endOfString(text: string, at: number): number {
  for (let end = text.indexOf('"', at + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let escapes = 0;
    while (text.charCodeAt(end - 1 - escapes) === BACKSLASH) escapes++;
    if (escapes % 2 === 0) return end + 1;
  }
  return text.length;
}
