/** One thing wrong with an expression, at an offset in its text. */
export interface Issue {
  readonly pos: number;
  readonly message: string;
}

const MAX_REPORTED = 100;

/** Issues as cel-go prints them: by position, each with its line of source and a caret under it. */
export function renderIssues(source: string, issues: readonly Issue[]): string {
  const lines = source.split('\n');
  const located = issues.map((issue) => ({ ...locate(lines, issue.pos), message: issue.message }));
  const ordered = located.toSorted((a, b) => a.line - b.line || a.column - b.column).slice(0, MAX_REPORTED);
  return ordered.map((issue) => render([...lines[issue.line]!], issue)).join('\n');
}

interface Located {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Columns count code points, offsets UTF-16 units. */
function locate(lines: readonly string[], pos: number): { line: number; column: number } {
  let rest = pos;
  let line = 0;
  while (line < lines.length - 1 && rest > lines[line]!.length) rest -= lines[line++]!.length + 1;
  return { line, column: Array.from(lines[line]!.slice(0, rest)).length };
}

function render(text: readonly string[], issue: Located): string {
  const shown = text.map((char) => (char === '\t' ? ' ' : char));
  const dots = shown.slice(0, issue.column).map((char) => (isAscii(char) ? '.' : '．'));
  const caret = isAscii(shown[issue.column] ?? '') ? '^' : '＾';
  const header = `ERROR: <input>:${issue.line + 1}:${issue.column + 1}: ${issue.message}`;
  return `${header}\n | ${shown.join('')}\n | ${dots.join('')}${caret}`;
}

const isAscii = (char: string): boolean => (char.codePointAt(0) ?? 0) < 0x80;
