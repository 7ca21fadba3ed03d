/** One condition on a field of an object. */
interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Conditions that must all hold; none selects everything. */
export type FieldSelector = readonly FieldTerm[];

/** The selector cannot be understood. The message is the API server's, to the letter. */
export class FieldSelectorError extends Error {
  override readonly name = 'FieldSelectorError';
}

/**
 * Reads the `fieldSelector` parameter: `metadata.name=a,spec.nodeName!=b`. In a value, `\`, `,` and `=` are written
 * with a `\` before them. Throws `FieldSelectorError`.
 */
export function parseFieldSelector(text: string): FieldSelector {
  const terms: FieldTerm[] = [];
  for (const term of splitTerms(text).sort()) {
    if (term === '') continue;
    const at = term.search(/!=|=/);
    if (at < 0) throw new FieldSelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    const sign = /^(?:!=|==|=)/.exec(term.slice(at))![0];
    const field = term.slice(0, at);
    const value = unescapeValue(term.slice(at + sign.length));
    if (field === '' && value === '') continue; // the server drops `=`, and `!=` too
    terms.push({ field, operator: sign === '!=' ? '!=' : '=', value });
  }
  return terms;
}

/** Whether an object is selected, given its fields. One that it does not have counts as empty text. */
export function matchesFields(selector: FieldSelector, find: (path: string) => string | undefined): boolean {
  return selector.every(({ field, operator, value }) => ((find(field) ?? '') === value) === (operator === '='));
}

/** Splits at commas, but not at escaped ones. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '\\') i++;
    else if (text[i] === ',') {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function unescapeValue(text: string): string {
  let value = '';
  let escaping = false;
  for (const char of text) {
    if (escaping && !'\\,='.includes(char)) throw invalidEscape(`\\${char}`);
    if (!escaping && char === '=') {
      // By its code, as the server has it. A comma cannot get here: it would have ended the term.
      throw new FieldSelectorError(`invalid field selector: unescaped character in value: ${char.codePointAt(0)}`);
    }
    escaping = !escaping && char === '\\';
    if (!escaping) value += char;
  }
  if (escaping) throw invalidEscape('\\');
  return value;
}

function invalidEscape(sequence: string): FieldSelectorError {
  return new FieldSelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
}
