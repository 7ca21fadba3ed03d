import { request as secureRequest } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';
import { request } from '../plain-http.ts';
import { ConnectionConfigError } from './connection.ts';
import { ConnectionError } from './transport.ts';

/** What is wrong with a proxy's address; undefined if it is valid. */
export function proxyProblem(proxyUrl: string): string | undefined {
  if (!URL.canParse(proxyUrl)) return `could not parse: ${withoutPassword(proxyUrl)}`;
  const { protocol, username, password } = new URL(proxyUrl);
  const scheme = protocol.slice(0, -1);
  if (scheme !== 'http' && scheme !== 'https') return `unsupported scheme "${scheme}", must be http or https`;
  return isEncoded(username) && isEncoded(password) ? undefined : 'user or password is not percent-encoded';
}

/** An address that is safe to print: user name and password are removed. */
export function withoutPassword(url: string): string {
  return url.replace(/^([^/]*\/\/)?.*@/, '$1***@');
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The proxy for an API server: the one named for it, else HTTPS_PROXY unless NO_PROXY or a loopback address forbids it.
 * Throws a ConnectionConfigError for an HTTPS_PROXY that cannot be used.
 */
export function findProxy(server: URL, proxyUrl: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (proxyUrl) return new URL(proxyUrl);
  return server.protocol === 'https:' ? findEnvironmentProxy(server, env) : undefined;
}

/**
 * The proxy that the environment has for a server: HTTPS_PROXY for TLS, HTTP_PROXY for plain HTTP, unless NO_PROXY or a
 * loopback address forbids it. The rules of NO_PROXY are Go's: domains with their subdomains, `.domain` for subdomains
 * only, addresses, CIDRs, ports, `*`. A rule that is none of these exempts nothing. Throws a ConnectionConfigError for a
 * proxy that cannot be used.
 */
export function findEnvironmentProxy(server: URL, env: NodeJS.ProcessEnv): URL | undefined {
  const isSecure = server.protocol === 'https:';
  const variable = isSecure ? 'HTTPS_PROXY' : 'HTTP_PROXY';
  const fromEnv = env[variable] || env[variable.toLowerCase()];
  const host = server.hostname.replace(/^\[|\]$/g, '');
  if (!fromEnv || isLoopback(host)) return undefined;
  const rules = (env['NO_PROXY'] || env['no_proxy'] || '').split(',').map((rule) => rule.trim().toLowerCase());
  const port = server.port || (isSecure ? '443' : '80');
  if (rules.some((rule) => rule !== '' && exempts(rule, host, port))) return undefined;
  const address = fromEnv.includes('://') ? fromEnv : `http://${fromEnv}`;
  const problem = proxyProblem(address);
  if (problem !== undefined) throw new ConnectionConfigError(`invalid proxy address in ${variable}: ${problem}`);
  return new URL(address);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || isWithin(host, '127.0.0.0', 8) || isWithin(host, '::1', 128);
}

function exempts(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  const [, network, bits] = /^(.*)\/(\d+)$/.exec(rule) ?? [];
  if (network !== undefined) return isWithin(host, network, Number(bits));
  const [, name = rule, rulePort] = /^(.+?):(\d+)$/.exec(isIP(rule) === 6 ? '' : rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*(?=\.)/, '');
  if (isIP(bare) !== 0) return isWithin(host, bare, isIP(bare) === 4 ? 32 : 128);
  return bare.startsWith('.') ? host.endsWith(bare) : host === bare || host.endsWith(`.${bare}`);
}

/** Whether the host is an address in the network, in whichever notation. False if `network` is not a network. */
function isWithin(host: string, network: string, bits: number): boolean {
  const family = isIP(network);
  const isFour = isIP(host) === 4;
  if (isIP(host) === 0 || family === 0 || bits > (family === 4 ? 32 : 128)) return false;
  if (isFour && family === 6) return false;
  const list = new BlockList();
  list.addSubnet(network, bits, family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, isFour ? 'ipv4' : 'ipv6'); // also matches IPv4 addresses in IPv6 notation
}

const CONNECT_TIMEOUT = 30_000; // of the socket, in real time

/** A socket that leads through the proxy to `target` (`host:port`), ready for TLS. */
export function openTunnel(proxy: URL, target: string): Promise<Socket> {
  const headers = { host: target, ...proxyAuthorization(proxy) };
  return new Promise((resolve, reject) => {
    const open = proxy.protocol === 'https:' ? secureRequest : request;
    const connect = open(proxy, { method: 'CONNECT', path: target, headers, agent: false, timeout: CONNECT_TIMEOUT });
    connect.on('connect', (response, socket: Socket) => {
      socket.setTimeout(0);
      socket.setKeepAlive(true, 30_000);
      if (response.statusCode === 200) return resolve(socket);
      socket.destroy();
      reject(new ConnectionError(`proxy ${proxy.host} refused to connect to ${target}: ${response.statusCode}`));
    });
    connect.on('response', (response) => {
      response.destroy();
      reject(new ConnectionError(`proxy ${proxy.host} refused to connect to ${target}: ${response.statusCode}`));
    });
    connect.on('timeout', () => connect.destroy(new Error(`no answer from proxy ${proxy.host}`)));
    connect.on('error', (cause) =>
      reject(new ConnectionError(`cannot reach proxy ${proxy.host}: ${cause.message}`, { cause })),
    );
    connect.end();
  });
}

/** The header that tells the proxy who asks; none if its address names nobody. */
export function proxyAuthorization({ username, password }: URL): Record<string, string> {
  if (username === '') return {};
  const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(secret).toString('base64')}` };
}
