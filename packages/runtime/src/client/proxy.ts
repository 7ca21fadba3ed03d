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
 * The proxy for a server: the one named for it, else HTTPS_PROXY unless NO_PROXY or a loopback address forbids it. The
 * rules of NO_PROXY are Go's: domains with their subdomains, `.domain` for subdomains only, addresses, CIDRs, ports, `*`.
 * A rule that is none of these exempts nothing. Throws a ConnectionConfigError for an HTTPS_PROXY that cannot be used.
 */
export function findProxy(server: URL, proxyUrl: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (proxyUrl) return new URL(proxyUrl);
  const fromEnv = env['HTTPS_PROXY'] || env['https_proxy'];
  const host = server.hostname.replace(/^\[|\]$/g, '');
  if (!fromEnv || server.protocol !== 'https:' || isLoopback(host)) return undefined;
  const rules = (env['NO_PROXY'] || env['no_proxy'] || '').split(',').map((rule) => rule.trim().toLowerCase());
  if (rules.some((rule) => rule !== '' && exempts(rule, host, server.port || '443'))) return undefined;
  const address = fromEnv.includes('://') ? fromEnv : `http://${fromEnv}`;
  const problem = proxyProblem(address);
  if (problem !== undefined) throw new ConnectionConfigError(`invalid proxy address in HTTPS_PROXY: ${problem}`);
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
  const { username, password } = proxy;
  const headers: Record<string, string> = { host: target };
  if (username !== '') {
    const secret = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    headers['proxy-authorization'] = `Basic ${Buffer.from(secret).toString('base64')}`;
  }
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
