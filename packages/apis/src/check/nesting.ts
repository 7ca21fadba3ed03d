/** Deeper than any manifest people write, and far less than what exhausts the parser's stack. */
const MAX_DEPTH = 200;

/**
 * Whether the text is nested so deeply that parsing would take minutes or exhaust the stack. Estimated from the
 * characters in one pass: opening brackets, dashes that start nested lists, and indentation.
 */
export function isTooDeep(text: string): boolean {
  let brackets = 0;
  let dashes = 0;
  let indent = 0;
  let inIndent = true;
  const indents: number[] = []; // of the lines that the present one stands below
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === '\n') {
      inIndent = true;
      indent = 0;
      dashes = 0;
    } else if (inIndent && char === ' ') {
      indent++;
    } else if (inIndent && (char === '-' || char === '?') && text[i + 1] === ' ') {
      dashes++;
    } else {
      if (inIndent) {
        while (indents.length > 0 && indents.at(-1)! >= indent) indents.pop();
        if (indents.push(indent) > MAX_DEPTH) return true;
      }
      inIndent = false;
      if (char === '[' || char === '{') brackets++;
      else if ((char === ']' || char === '}') && brackets > 0) brackets--;
    }
    if (brackets > MAX_DEPTH || dashes > MAX_DEPTH || (indent > 4 * MAX_DEPTH && dashes > 0)) return true;
  }
  return false;
}
