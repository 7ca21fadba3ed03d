import { request as secureRequest } from 'node:https';
import { BlockList, isIP, type Socket } from 'node:net';
import { request } from '../plain-http.ts';
import { ConnectionError } from './transport.ts';

/** What is wrong with a proxy's address; undefined when it can be used. */
export function proxyProblem(proxyUrl: string): string | undefined {
  if (!URL.canParse(proxyUrl)) return `could not parse: ${proxyUrl}`;
  const scheme = new URL(proxyUrl).protocol.slice(0, -1);
  if (scheme === 'http' || scheme === 'https') return undefined;
  return `unsupported scheme "${scheme}", must be http or https`;
}

/**
 * The proxy for a server: the one named for it, else HTTPS_PROXY unless NO_PROXY or a loopback address forbids it. The
 * rules of NO_PROXY are Go's: domains with their subdomains, `.domain` for subdomains only, addresses, CIDRs, ports, `*`.
 */
export function findProxy(server: URL, proxyUrl: string | undefined, env: NodeJS.ProcessEnv): URL | undefined {
  if (proxyUrl) return new URL(proxyUrl);
  const fromEnv = env['HTTPS_PROXY'] || env['https_proxy'];
  const host = server.hostname.replace(/^\[|\]$/g, '');
  if (!fromEnv || isLoopback(host)) return undefined;
  const rules = (env['NO_PROXY'] || env['no_proxy'] || '').split(',').map((rule) => rule.trim().toLowerCase());
  if (rules.some((rule) => rule !== '' && exempts(rule, host, server.port || '443'))) return undefined;
  return new URL(fromEnv.includes('://') ? fromEnv : `http://${fromEnv}`);
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function exempts(rule: string, host: string, port: string): boolean {
  if (rule === '*') return true;
  if (rule.includes('/')) return inSubnet(rule, host);
  const [, name = rule, rulePort] = /^(.+?):(\d+)$/.exec(isIP(rule) === 6 ? '' : rule) ?? [];
  if (rulePort !== undefined && rulePort !== port) return false;
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*(?=\.)/, '');
  if (isIP(bare) !== 0) return bare === host;
  return bare.startsWith('.') ? host.endsWith(bare) : host === bare || host.endsWith(`.${bare}`);
}

function inSubnet(rule: string, host: string): boolean {
  const [network = '', bits = ''] = rule.split('/');
  const family = isIP(host);
  if (family === 0 || family !== isIP(network)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
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
