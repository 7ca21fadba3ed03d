import { RE2JS, RE2JSSyntaxException } from 're2js';

/** A compiled pattern of Go's `regexp` package: leftmost match, linear time, never anchored unless it says so. */
export interface Re2 {
  /** True when any part of `text` matches. */
  test(text: string): boolean;
  /** The first match, or undefined; an empty match is the empty string. */
  find(text: string): string | undefined;
  /** Matches from left to right, at most `limit` of them; an empty match right after another match does not count. */
  findAll(text: string, limit?: number): readonly string[];
}

/** The pattern is not RE2 syntax; the message is Go's, beginning with "error parsing regexp: ". */
export class Re2Error extends Error {
  override readonly name = 'Re2Error';
}

/** Patterns come from schemas and rules, so there are few; the bound is for those that rules compute from data. */
const MAX_CACHED = 1000;
const cache = new Map<string, Re2 | Re2Error>();

/** The matcher for a pattern, compiled once per process. Throws Re2Error when the pattern does not parse. */
export function compileRe2(pattern: string): Re2 {
  let found = cache.get(pattern);
  if (found === undefined) {
    if (cache.size >= MAX_CACHED) cache.clear();
    found = compile(pattern);
    cache.set(pattern, found);
  }
  if (found instanceof Re2Error) throw found;
  return found;
}

function compile(pattern: string): Re2 | Re2Error {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (cause) {
    if (cause instanceof RE2JSSyntaxException) return new Re2Error(goMessage(cause.message), { cause });
    throw cause;
  }
  return {
    test: (text) => compiled.test(text),
    find: (text) => compiled.exec(text)?.[0],
    findAll: (text, limit = Infinity) => findAll(compiled, text, limit),
  };
}

/** Go quotes the offending part even where it is empty; re2js leaves it out then. */
function goMessage(message: string): string {
  return message.endsWith('`') ? message : `${message}: \`\``;
}

function findAll(compiled: RE2JS, text: string, limit: number): readonly string[] {
  const found: string[] = [];
  let end = -1;
  for (const match of compiled.matchAll(text)) {
    if (found.length >= limit) break;
    const { 0: matched, index = 0 } = match;
    if (matched === '' && index === end) continue;
    found.push(matched);
    end = index + matched.length;
  }
  return found;
}
