import { goQuote } from '@karpenter-ts/kubernetes';
import { CelError } from '../runtime/value.ts';
import { parseIp } from './ip-address.ts';

/** A URL in parts, as Go's `net/url` keeps them. */
export interface GoUrl {
  readonly scheme: string;
  /** What follows the scheme where that is no path: `mailto:this`. */
  readonly opaque: string;
  readonly user: string;
  /** With the port. */
  readonly host: string;
  /** As written, checked to unescape. */
  readonly path: string;
  readonly query: string;
}

/** A text as Go's `url.ParseRequestURI` reads it, with its errors: absolute, or a path that starts with a slash. */
export function parseRequestUri(text: string): GoUrl | CelError {
  const url = parse(text, 'request');
  return typeof url === 'string' ? parseError(text, url) : url;
}

/** As Go's `url.Parse`: a fragment is cut off, and `//host` needs no scheme. */
export function parseUrl(text: string): GoUrl | CelError {
  const [main = '', fragment = ''] = cut(text, '#');
  const url = parse(main, 'reference');
  if (typeof url === 'string') return parseError(main, url);
  const unescaped = unescape(fragment);
  return typeof unescaped === 'string' ? url : parseError(text, unescaped.problem);
}

function parseError(text: string, problem: Problem): CelError {
  return new CelError(`parse ${goQuote(text)}: ${problem}`);
}

type Problem = string;

function parse(text: string, kind: 'request' | 'reference'): GoUrl | Problem {
  const empty: GoUrl = { scheme: '', opaque: '', user: '', host: '', path: '', query: '' };
  if (/\p{Cc}/u.test(text.replace(/[\u0080-\u009f]/g, ''))) return 'net/url: invalid control character in URL';
  if (text === '' && kind === 'request') return 'empty url';
  if (text === '*') return { ...empty, path: '*' };
  if (text.startsWith(':')) return 'missing protocol scheme';
  const [, scheme = ''] = /^([a-z][-a-z0-9+.]*):/i.exec(text) ?? [];
  const [main = '', query = ''] = cut(scheme === '' ? text : text.slice(scheme.length + 1), '?');
  const parts = { ...empty, scheme: scheme.toLowerCase(), query };
  if (!main.startsWith('/')) {
    if (scheme !== '') return { ...parts, opaque: main };
    if (kind === 'request') return 'invalid URI for request';
    if (main.split('/')[0]!.includes(':')) return 'first path segment in URL cannot contain colon';
  }
  const hasAuthority = main.startsWith('//') && (scheme !== '' || (kind === 'reference' && !main.startsWith('///')));
  const slash = hasAuthority ? main.indexOf('/', 2) : 0;
  const path = slash < 0 ? '' : main.slice(slash);
  const authority = hasAuthority ? parseAuthority(main.slice(2, slash < 0 ? undefined : slash)) : parts;
  if (typeof authority === 'string') return authority;
  const unescaped = unescape(path);
  return typeof unescaped === 'string'
    ? { ...parts, user: authority.user, host: authority.host, path }
    : unescaped.problem;
}

function parseAuthority(text: string): Pick<GoUrl, 'user' | 'host'> | Problem {
  const at = text.lastIndexOf('@');
  const host = parseHost(text.slice(at + 1));
  if (typeof host !== 'string') return host.problem;
  const user = at < 0 ? '' : text.slice(0, at);
  if (!/^[-A-Za-z0-9._~!$&'()*+,;=:%@]*$/.test(user)) return 'net/url: invalid userinfo';
  const unescaped = unescape(user);
  return typeof unescaped === 'string' ? { user, host } : unescaped.problem;
}

interface Failure {
  readonly problem: Problem;
}

function parseHost(text: string): string | Failure {
  const bracket = text.lastIndexOf('[');
  if (bracket > 0) return { problem: 'invalid IP-literal' };
  if (bracket === 0) return parseLiteral(text);
  const colon = text.lastIndexOf(':');
  if (colon >= 0 && !isPort(text.slice(colon))) return badPort(text.slice(colon));
  return unescapeHost(text);
}

function parseLiteral(text: string): string | Failure {
  const close = text.lastIndexOf(']');
  if (close < 0) return { problem: "missing ']' in host" };
  const port = text.slice(close + 1);
  if (!isPort(port)) return badPort(port);
  const host = unescapeHost(text.slice(1, close));
  if (typeof host !== 'string') return host;
  const address = parseIp(host);
  if (address instanceof CelError) return { problem: `invalid host: ${address.message}` };
  return address.family === 4 ? { problem: 'invalid IP-literal' } : `[${host}]${port}`;
}

const isPort = (text: string): boolean => /^(?::\d*)?$/.test(text);

function badPort(text: string): Failure {
  return { problem: `invalid port ${goQuote(text)} after host` };
}

/** Only bytes beyond ASCII, and the percent sign itself, may be escaped in a host. */
function unescapeHost(text: string): string | Failure {
  const bad = /%(?!25|[89a-f][\da-f])(.{0,2})|[^-\w.~!$&'()*+,;=:[\]<>"%\u0080-\uffff]/i.exec(text);
  if (bad === null) return unescape(text);
  return { problem: bad[0].startsWith('%') ? badEscape(bad[0]) : `invalid character ${goQuote(bad[0])} in host name` };
}

function badEscape(text: string): Problem {
  return `invalid URL escape ${goQuote(text)}`;
}

/** Replaces every `%xx` by its byte. */
function unescape(text: string): string | Failure {
  const bad = /%(?![\da-f]{2}).{0,2}/is.exec(text);
  if (bad !== null) return { problem: badEscape(bad[0]) };
  const bytes = Buffer.from(text).toString('latin1');
  return Buffer.from(
    bytes.replace(/%(..)/g, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  ).toString();
}

/** The path as it may stand in a URL: as written where that is well-formed, else escaped anew. */
export function escapedPath({ path }: GoUrl): string {
  if (path === '*' || /^[-\w.~$&+,/:;=@!'()*[\]%]*$/.test(path)) return path;
  const bytes = Buffer.from(unescape(path) as string).toString('latin1');
  return bytes.replace(
    /[^-\w.~$&+,/:;=@]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );
}

/** Host name and port, without the brackets of an IPv6 address. */
export function splitHost({ host }: GoUrl): { hostname: string; port: string } {
  const colon = host.lastIndexOf(':');
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  return { hostname: name.replace(/^\[(.*)\]$/, '$1'), port: hasPort ? host.slice(colon + 1) : '' };
}

/** The query's values by name; pairs that are malformed are left out. */
export function queryOf({ query }: GoUrl): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (const pair of query.split('&')) {
    if (pair === '' || pair.includes(';')) continue;
    const [name, value = ''] = cut(pair, '=').map((part) => unescape(part.replaceAll('+', ' ')));
    if (typeof name !== 'string' || typeof value !== 'string') continue;
    values.set(name, [...(values.get(name) ?? []), value]);
  }
  return values;
}

/** The URL put together again. */
export function formatUrl(url: GoUrl): string {
  const authority = url.host === '' && url.user === '' ? '' : `//${url.user === '' ? '' : `${url.user}@`}${url.host}`;
  const main = url.opaque === '' ? `${authority}${escapedPath(url)}` : url.opaque;
  return `${url.scheme === '' ? '' : `${url.scheme}:`}${main}${url.query === '' ? '' : `?${url.query}`}`;
}

function cut(text: string, separator: string): readonly string[] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}
