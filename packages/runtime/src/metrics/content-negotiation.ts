import type { TextFormat } from './text-format.ts';

/** The format of a metrics page and its content type. */
export interface PageType {
  readonly format: TextFormat;
  readonly contentType: string;
}

const TEXT: PageType = { format: 'text', contentType: 'text/plain; version=0.0.4; charset=utf-8' };
const OPENMETRICS: PageType = {
  format: 'openmetrics',
  contentType: 'application/openmetrics-text; version=1.0.0; charset=utf-8',
};

/** The best format for an `Accept` header. The plain text format if the header names none that is supported. */
export function negotiatePage(accept: string | undefined): PageType {
  for (const range of parseAccept(accept ?? '')) {
    const version = range.parameters.get('version');
    if (range.type === 'text/plain' && (version === undefined || version === '0.0.4')) return TEXT;
    if (range.type === 'application/openmetrics-text' && (version === undefined || version === '1.0.0')) {
      return OPENMETRICS;
    }
  }
  return TEXT;
}

/** Whether a client takes gzip, by its `Accept-Encoding` header. */
export function acceptsGzip(acceptEncoding: string | undefined): boolean {
  return parseAccept(acceptEncoding ?? '').some(({ type }) => type === 'gzip' || type === '*');
}

interface AcceptRange {
  readonly type: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The media types that a client accepts, best first. Those it refuses (`q=0`) are left out. */
function parseAccept(header: string): readonly AcceptRange[] {
  const ranges = header.split(',').map((part): AcceptRange => {
    const [type = '', ...rest] = part.split(';').map((word) => word.trim());
    const parameters = new Map(rest.map((pair) => splitPair(pair)));
    return { type: type.toLowerCase(), quality: Number(parameters.get('q') ?? 1), parameters };
  });
  return ranges.filter(({ quality }) => quality > 0).sort((a, b) => b.quality - a.quality);
}

function splitPair(pair: string): [string, string] {
  const [name = '', value = ''] = pair.split('=').map((word) => word.trim());
  return [name.toLowerCase(), value.replace(/^"(.*)"$/, '$1')];
}
