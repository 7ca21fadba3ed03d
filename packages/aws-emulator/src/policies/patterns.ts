const patterns = new Map<string, RegExp>();
const MOST_PATTERNS = 1000;

/** Whether the text is what the pattern says, in which `*` stands for any characters and `?` for one. */
export function matchesText(text: string, pattern: string): boolean {
  let expression = patterns.get(pattern);
  if (expression === undefined) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${source}$`, 's');
    if (patterns.size >= MOST_PATTERNS) patterns.clear();
    patterns.set(pattern, expression);
  }
  return expression.test(text);
}

/** Actions are the same in any letter case. */
export function matchesAction(action: string, pattern: string): boolean {
  return matchesText(action.toLowerCase(), pattern.toLowerCase());
}

const ARN_PARTS = 6;

/** ARNs are compared part by part: a wildcard does not reach over a colon, except in the last part. */
export function matchesArn(arn: string, pattern: string): boolean {
  const [parts, wanted] = [arnParts(arn), arnParts(pattern)];
  return parts.length === wanted.length && parts.every((part, index) => matchesText(part, wanted[index]!));
}

function arnParts(arn: string): readonly string[] {
  const parts = arn.split(':');
  return parts.length <= ARN_PARTS ? parts : [...parts.slice(0, ARN_PARTS - 1), parts.slice(ARN_PARTS - 1).join(':')];
}
