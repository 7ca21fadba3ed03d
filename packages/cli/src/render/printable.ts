/** Control characters, which steer terminals and begin lines, and those that turn the direction of writing. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The same in a JSON text, where line breaks stand between values and others are escaped already. */
const CONTROLS_OF_JSON = /[\u007f-\u009f\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** How Azure Pipelines (`##vso[`), GitHub (`##[`) and TeamCity are told something from anywhere in a line. */
const INSTRUCTIONS = /#(?=#[a-z]*\[)/gi;
/** How GitHub is told something at the beginning of a line. */
const LINE_INSTRUCTIONS = /^(\s*):(?=:)/;

/**
 * One line of output that quotes what others wrote, names of files and objects among it. What a terminal or a CI system
 * would take for an instruction, or a reader for a line of its own, is shown as an escape.
 */
export function printableLine(line: string): string {
  return line
    .replace(CONTROLS, escapeOf)
    .replace(INSTRUCTIONS, escapeOf)
    .replace(LINE_INSTRUCTIONS, (_, space: string) => `${space}${escapeOf(':')}`);
}

/** JSON that means the same and that no terminal or CI system takes for an instruction. */
export function printableJson(json: string): string {
  return json.replace(CONTROLS_OF_JSON, escapeOf).replace(INSTRUCTIONS, escapeOf);
}

function escapeOf(char: string): string {
  if (char === '\n') return '\\n';
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
