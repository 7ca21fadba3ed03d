import { type MimePart, toBytes } from './mime.ts';
import { decodeQuotedPrintable } from './quoted-printable.ts';

// Reads archives the way Go's packages net/mail, mime and mime/multipart do, because users' archives were written for
// upstream: what it takes must be taken, and what it refuses must not suddenly reach an instance.

/**
 * The parts of an archive. Throws if its headers cannot be read, if it is no multipart archive, or if a part is broken. A
 * boundary that never occurs gives no parts, and the last boundary need not be marked as such.
 */
export function readMime(text: string): readonly MimePart[] {
  const lines = new LineReader(toBytes(text));
  const headers = readMailHeaders(lines);
  const type = parseMediaType(headers.get('Content-Type')?.[0] ?? '');
  if (!type.name.startsWith('multipart/')) throw new Error('user data is not in multipart MIME format');
  const boundary = type.parameters.get('boundary') ?? '';
  if (boundary === '') throw new Error('multipart: boundary is empty');
  return readParts(lines, `--${boundary}`);
}

type Headers = Map<string, string[]>;

/** Bytes, read line by line or to a boundary. */
class LineReader {
  readonly #bytes: string;
  #at = 0;

  constructor(bytes: string) {
    this.#bytes = bytes;
  }

  get rest(): string {
    return this.#bytes.slice(this.#at);
  }

  skip(length: number): void {
    this.#at += length;
  }

  /** With its line break; undefined at the end. The last line may have none. */
  next(): string | undefined {
    if (this.#at >= this.#bytes.length) return undefined;
    const end = this.#bytes.indexOf('\n', this.#at);
    const line = this.#bytes.slice(this.#at, end === -1 ? undefined : end + 1);
    this.#at += line.length;
    return line;
  }
}

const withoutBreak = (line: string): string => line.replace(/\r?\n$/, '');
const trimBlanks = (text: string): string => text.replace(/^[ \t]+|[ \t]+$/g, '');

/** A header with its continuation lines; undefined at the end of the text, '' at the empty line that ends the headers. */
function nextHeader(lines: LineReader, check: (line: string) => void): string | undefined {
  const line = lines.next();
  if (line === undefined) return undefined;
  const first = withoutBreak(line);
  if (first === '') return '';
  check(first);
  let header = trimBlanks(first);
  while (/^[ \t]/.test(lines.rest)) header += ` ${trimBlanks(withoutBreak(lines.next()!))}`;
  return header;
}

/** The headers of the archive itself, about which mail is lenient. */
function readMailHeaders(lines: LineReader): Headers {
  requireNoBlankFirst(lines);
  const headers: Headers = new Map();
  for (;;) {
    const header = nextHeader(lines, () => undefined);
    if (header === undefined && headers.size === 0) throw new Error('EOF');
    if (!header) return headers;
    const colon = header.indexOf(':');
    if (colon === -1) throw new Error(`malformed header line: ${header}`);
    const name = canonicalName(header.slice(0, colon));
    if (name !== '') add(headers, name, header.slice(colon + 1));
  }
}

/** The headers of a part; undefined if the text ends before they do. */
function readPartHeaders(lines: LineReader): Headers | undefined {
  requireNoBlankFirst(lines);
  const headers: Headers = new Map();
  for (;;) {
    const header = nextHeader(lines, requireColon);
    if (header === undefined) return undefined;
    if (header === '') return headers;
    const colon = header.indexOf(':');
    const name = header.slice(0, colon);
    const value = header.slice(colon + 1);
    if (name === '' || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z ]+$/.test(name) || /[^\t -~\x80-\xff]/.test(value)) {
      throw new Error(`malformed MIME header line: ${JSON.stringify(header)}`);
    }
    add(headers, canonicalName(name), value);
  }
}

function requireNoBlankFirst(lines: LineReader): void {
  if (/^[ \t]/.test(lines.rest)) throw new Error(`malformed MIME header initial line: ${JSON.stringify(lines.next())}`);
}

function requireColon(line: string): void {
  if (!line.includes(':')) throw new Error(`malformed MIME header: missing colon: ${JSON.stringify(line)}`);
}

function add(headers: Headers, name: string, value: string): void {
  const values = headers.get(name) ?? [];
  values.push(value.replace(/^[ \t]+/, ''));
  headers.set(name, values);
}

/** `content-type` as `Content-Type`. A name that is no token stays as it is. */
function canonicalName(name: string): string {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return name;
  return name.toLowerCase().replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
}

function readParts(lines: LineReader, dashBoundary: string): readonly MimePart[] {
  const parts: MimePart[] = [];
  let lineBreak = '\r\n'; // until the first boundary line shows what it is
  let expectsPart = false;
  for (;;) {
    const line = lines.next();
    if (line === undefined || !line.endsWith('\n') || isFinal(line, dashBoundary, lineBreak)) return parts;
    const rest = afterBoundary(line, dashBoundary);
    if (parts.length === 0 && rest === '\n') lineBreak = '\n';
    if (rest === lineBreak) {
      const part = readPart(lines, `${lineBreak}${dashBoundary}`);
      if (part === undefined) return parts;
      parts.push(part);
      expectsPart = false;
    } else if (expectsPart) {
      throw new Error(`multipart: expecting a new Part; got line ${JSON.stringify(line)}`);
    } else if (parts.length > 0) {
      if (line !== lineBreak) throw new Error(`multipart: unexpected line in Next(): ${JSON.stringify(line)}`);
      expectsPart = true;
    }
  }
}

/** What follows the boundary on its line, without blanks; undefined if the line does not begin with the boundary. */
function afterBoundary(line: string, dashBoundary: string): string | undefined {
  return line.startsWith(dashBoundary) ? line.slice(dashBoundary.length).replace(/^[ \t]+/, '') : undefined;
}

function isFinal(line: string, dashBoundary: string, lineBreak: string): boolean {
  const rest = afterBoundary(line, `${dashBoundary}--`);
  return rest === '' || rest === lineBreak;
}

/** A part, up to the line break before the next boundary; undefined if the text ends within its headers. */
function readPart(lines: LineReader, delimiter: string): MimePart | undefined {
  const headers = readPartHeaders(lines);
  if (headers === undefined) return undefined;
  const length = bodyLength(lines.rest, delimiter);
  if (length === undefined) throw new Error('unexpected EOF');
  const raw = lines.rest.slice(0, length);
  lines.skip(length);
  const encoding = headers.get('Content-Transfer-Encoding')?.[0] ?? '';
  const isEncoded = encoding.toLowerCase() === 'quoted-printable';
  if (isEncoded) headers.delete('Content-Transfer-Encoding');
  const sorted = [...headers].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    headers: sorted.flatMap(([name, values]) => values.map((value): [string, string] => [name, value])),
    body: isEncoded ? decodeQuotedPrintable(raw) : raw,
  };
}

/** Bytes before the boundary; undefined if there is none. An empty body may have the boundary without a line break. */
function bodyLength(text: string, delimiter: string): number | undefined {
  const dashBoundary = delimiter.slice(delimiter.indexOf('--'));
  if (text.startsWith(dashBoundary) && endsBoundary(text.slice(dashBoundary.length))) return 0;
  for (let at = text.indexOf(delimiter); at !== -1; at = text.indexOf(delimiter, at + 1)) {
    if (endsBoundary(text.slice(at + delimiter.length))) return at;
  }
  return undefined;
}

/** Whether a boundary ends here: it is not the start of a longer word. */
function endsBoundary(after: string): boolean {
  return after === '' || /^[ \t\r\n]|^--/.test(after);
}

interface MediaType {
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** A content type with its parameters. Throws if it is none. */
function parseMediaType(text: string): MediaType {
  const [base = ''] = text.split(';');
  const name = base.trim().toLowerCase();
  if (!/^[!#$%&'*+\-.^_`{|}~0-9a-z]+(?:\/[!#$%&'*+\-.^_`{|}~0-9a-z]+)?$/.test(name)) {
    throw new Error(`user data does not define a content-type header mime: ${name === '' ? 'no media type' : name}`);
  }
  return { name, parameters: parseParameters(text.slice(base.length)) };
}

const PARAMETER =
  /^\s*;\s*([!#$%&'*+\-.^_`{|}~0-9A-Za-z]+)\s*=\s*(?:"((?:\\.|[^"\\\r\n])*)"|([!#$%&'*+\-.^_`{|}~0-9A-Za-z]+))/;

function parseParameters(text: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  let rest = text;
  while (rest.trim() !== '' && rest.trim() !== ';') {
    const match = PARAMETER.exec(rest);
    if (match === null) throw new Error('mime: invalid media parameter');
    const name = match[1]!.toLowerCase();
    const value = match[2] === undefined ? match[3]! : match[2].replace(/\\([()<>@,;:\\"/[\]?=])/g, '$1');
    if ((parameters.get(name) ?? value) !== value) throw new Error('mime: duplicate parameter name');
    parameters.set(name, value);
    rest = rest.slice(match[0].length);
  }
  return parameters;
}
