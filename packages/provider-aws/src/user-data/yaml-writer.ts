/** What can be written: plain data. Members that are undefined are left out. */
export type YamlValue =
  | string
  | number
  | boolean
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue | undefined };

/**
 * Block style with sorted keys, the way upstream's library writes: lists are not indented, no line is folded, and a text
 * is quoted only where a reader would take it for something else. Nodes are compared by their user data, so every byte
 * counts.
 */
export function writeYaml(value: YamlValue): string {
  return lines(value)
    .map((line) => `${line}\n`)
    .join('');
}

function lines(value: YamlValue): readonly string[] {
  if (isList(value)) return value.length === 0 ? ['[]'] : value.flatMap(itemLines);
  if (typeof value === 'object') {
    const members = membersOf(value);
    return members.length === 0 ? ['{}'] : members.flatMap(memberLines);
  }
  return [scalar(value)];
}

function itemLines(item: YamlValue): readonly string[] {
  return lines(item).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`);
}

function memberLines([key, value]: readonly [string, YamlValue]): readonly string[] {
  const written = lines(value);
  if (typeof value !== 'object' || written[0] === '{}' || written[0] === '[]') return [`${scalar(key)}: ${written[0]}`];
  return [`${scalar(key)}:`, ...(isList(value) ? written : written.map((line) => `  ${line}`))];
}

function membersOf(map: { readonly [key: string]: YamlValue | undefined }): readonly (readonly [string, YamlValue])[] {
  const members = Object.entries(map).filter((member): member is [string, YamlValue] => member[1] !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1));
}

function isList(value: YamlValue): value is readonly YamlValue[] {
  return Array.isArray(value);
}

function scalar(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  if (value === '' || readsAsOther(value)) return JSON.stringify(value);
  return canBePlain(value) ? value : `'${value.replaceAll("'", "''")}'`;
}

const WORDS = /^(?:y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$/;
const NULLS = /^(?:~|null|Null|NULL)$/;
const FLOAT_WORDS = /^(?:\.(?:nan|NaN|NAN)|[-+]?\.(?:inf|Inf|INF))$/;
const INTEGER = /^[-+]?(?:[0-9]+|0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+)$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const DATE = /^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt ][0-9:.]+(?:Z|[-+][0-9:]+)?)?$/;

/** Whether YAML 1.1 reads the text as a boolean, nothing, a number or a date. */
function readsAsOther(text: string): boolean {
  if (WORDS.test(text) || NULLS.test(text) || FLOAT_WORDS.test(text) || BASE_60.test(text)) return true;
  if (DATE.test(text)) return true;
  const digits = /^[-+.0-9]/.test(text) ? text.replaceAll('_', '') : text;
  return INTEGER.test(digits) || FLOAT.test(digits);
}

/** Whether nothing in the text means something in block style. */
function canBePlain(text: string): boolean {
  if (/^[-?:](?:\s|$)|^[#,[\]{}&*!|>'"%@`]/.test(text)) return false;
  if (/^---|^\.\.\./.test(text)) return false;
  return !/: |:$| #|^\s|\s$|[^ -~\x80-\uffff]/.test(text);
}
