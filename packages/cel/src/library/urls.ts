import { ArrayList } from '../runtime/list.ts';
import { EntryMap } from '../runtime/map.ts';
import { CelError, type CelValue, NO_SUCH_OVERLOAD, Opaque } from '../runtime/value.ts';
import { escapedPath, formatUrl, type GoUrl, parseRequestUri, parseUrl, queryOf, splitHost } from './go-url.ts';
import { global, member, type Overload } from './overload.ts';

class Url extends Opaque {
  readonly typeName = 'kubernetes.URL';
  readonly parts: GoUrl;

  constructor(parts: GoUrl) {
    super();
    this.parts = parts;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof Url ? String(this) === String(other) : NO_SUCH_OVERLOAD;
  }

  toString(): string {
    return formatUrl(this.parts);
  }
}

/** URLs and their parts. */
export const urls: readonly Overload[] = [
  global('url(string): URL', toUrl),
  global('isURL(string): bool', (text: string) => !(parseRequestUri(text) instanceof CelError)),
  member('URL', 'getScheme(): string', ({ parts }: Url) => parts.scheme),
  member('URL', 'getHost(): string', ({ parts }: Url) => parts.host),
  member('URL', 'getHostname(): string', ({ parts }: Url) => splitHost(parts).hostname),
  member('URL', 'getPort(): string', ({ parts }: Url) => splitHost(parts).port),
  member('URL', 'getEscapedPath(): string', ({ parts }: Url) => escapedPath(parts)),
  member('URL', 'getQuery(): map(string, list(string))', getQuery),
];

/** Accepted as a request's URI, then read as a reference, which knows fragments. */
function toUrl(text: string): Url | CelError {
  const checked = parseRequestUri(text);
  const url = checked instanceof CelError ? checked : parseUrl(text);
  if (!(url instanceof CelError)) return new Url(url);
  return new CelError(`URL parse error during conversion from string: ${url.message}`);
}

function getQuery({ parts }: Url): EntryMap {
  const query = new EntryMap();
  for (const [name, values] of queryOf(parts)) query.set(name, new ArrayList([...values]));
  return query;
}
