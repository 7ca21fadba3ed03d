import { goQuote } from '@karpenter-ts/kubernetes';
import { CelError, type CelResult, type CelValue, NO_SUCH_OVERLOAD, Opaque } from '../runtime/value.ts';
import { formatIp, type IpAddress, isV4InV6, parseIp } from './ip-address.ts';
import { global, member, type Overload } from './overload.ts';

class Ip extends Opaque {
  readonly typeName = 'net.IP';
  readonly address: IpAddress;

  constructor(address: IpAddress) {
    super();
    this.address = address;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof Ip)) return NO_SUCH_OVERLOAD;
    return this.address.family === other.address.family && this.address.bits === other.address.bits;
  }

  /** True when the leading bits are those of a range of the family: `224.0.0/24`, `fe80/10`. */
  startsWith(family: 4 | 6, prefix: bigint, length: number): boolean {
    return this.address.family === family && this.address.bits >> BigInt(WIDTH[family] - length) === prefix;
  }

  toString(): string {
    return formatIp(this.address);
  }
}

class Cidr extends Opaque {
  readonly typeName = 'net.CIDR';
  readonly ip: Ip;
  readonly length: number;

  constructor(ip: Ip, length: number) {
    super();
    this.ip = ip;
    this.length = length;
  }

  equals(other: CelValue): boolean | CelError {
    return other instanceof Cidr ? this.length === other.length && this.ip.equals(other.ip) : NO_SUCH_OVERLOAD;
  }

  /** The bits that say which network this is. */
  get prefix(): bigint {
    return this.ip.address.bits >> BigInt(WIDTH[this.ip.address.family] - this.length);
  }

  contains(ip: Ip): boolean {
    return ip.startsWith(this.ip.address.family, this.prefix, this.length);
  }

  toString(): string {
    return `${String(this.ip)}/${this.length}`;
  }
}

const WIDTH = { 4: 32, 6: 128 } as const;

/** IP addresses and CIDR ranges. */
export const network: readonly Overload[] = [
  global('ip(string): IP', toIp),
  global('isIP(string): bool', (text: string) => toIp(text) instanceof Ip),
  global('ip.isCanonical(string): bool', isCanonical),
  global('string(IP): string', String),
  member('IP', 'family(): int', (ip: Ip) => BigInt(ip.address.family)),
  member('IP', 'isUnspecified(): bool', isUnspecified),
  member('IP', 'isLoopback(): bool', isLoopback),
  member('IP', 'isLinkLocalMulticast(): bool', (ip: Ip) => ip.startsWith(4, 0xe00000n, 24) || isV6Multicast(ip, 2n)),
  member('IP', 'isLinkLocalUnicast(): bool', isLinkLocalUnicast),
  member('IP', 'isGlobalUnicast(): bool', isGlobalUnicast),
  global('cidr(string): CIDR', toCidr),
  global('isCIDR(string): bool', (text: string) => toCidr(text) instanceof Cidr),
  global('string(CIDR): string', String),
  member('CIDR', 'containsIP(string): bool', (cidr: Cidr, text: string) => withIp(text, (ip) => cidr.contains(ip))),
  member('CIDR', 'containsIP(IP): bool', (cidr: Cidr, ip: Ip) => cidr.contains(ip)),
  member('CIDR', 'containsCIDR(string): bool', (cidr: Cidr, text: string) => containsCidr(cidr, toCidr(text))),
  member('CIDR', 'containsCIDR(CIDR): bool', containsCidr),
  member('CIDR', 'ip(): IP', (cidr: Cidr) => cidr.ip),
  member('CIDR', 'prefixLength(): int', (cidr: Cidr) => BigInt(cidr.length)),
  member('CIDR', 'masked(): CIDR', masked),
];

function toIp(text: string): Ip | CelError {
  const address = parseIp(text);
  if (address instanceof CelError) {
    return new CelError(`IP Address ${goQuote(text)} parse error during conversion from string: ${address.message}`);
  }
  if (address.zone !== undefined) return new CelError(`IP address ${goQuote(text)} with zone value is not allowed`);
  if (isV4InV6(address)) return new CelError(`IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
  return new Ip(address);
}

/** A text that is no address is "no such overload" here: the library drops the reason on the way. */
function withIp(text: string, use: (ip: Ip) => CelResult): CelResult {
  const ip = toIp(text);
  return ip instanceof CelError ? NO_SUCH_OVERLOAD : use(ip);
}

function isCanonical(text: string): CelResult {
  const ip = toIp(text);
  return ip instanceof CelError ? ip : String(ip) === text;
}

function isUnspecified(ip: Ip): boolean {
  return ip.address.bits === 0n;
}

function isLoopback(ip: Ip): boolean {
  return ip.startsWith(4, 127n, 8) || ip.startsWith(6, 1n, 128);
}

function isLinkLocalUnicast(ip: Ip): boolean {
  return ip.startsWith(4, 0xa9fen, 16) || ip.startsWith(6, 0xfe80n >> 6n, 10);
}

function isMulticast(ip: Ip): boolean {
  return ip.startsWith(4, 0xen, 4) || ip.startsWith(6, 0xffn, 8);
}

/** By scope, the fourth hexadecimal digit. */
function isV6Multicast(ip: Ip, scope: bigint): boolean {
  return ip.startsWith(6, 0xffn, 8) && ((ip.address.bits >> 112n) & 0xfn) === scope;
}

function isGlobalUnicast(ip: Ip): boolean {
  const isBroadcast = ip.startsWith(4, 0xffffffffn, 32);
  return !isBroadcast && !isUnspecified(ip) && !isLoopback(ip) && !isMulticast(ip) && !isLinkLocalUnicast(ip);
}

function toCidr(text: string): Cidr | CelError {
  const cidr = parseCidr(text);
  const prefix = 'network address parse error during conversion from string: ';
  if (typeof cidr === 'string') return new CelError(`${prefix}${prefix}netip.ParsePrefix(${goQuote(text)}): ${cidr}`);
  if (!isV4InV6(cidr.ip.address)) return cidr;
  return new CelError(`${prefix}IPv4-mapped IPv6 address ${goQuote(text)} is not allowed`);
}

function parseCidr(text: string): Cidr | string {
  const slash = text.lastIndexOf('/');
  if (slash < 0) return "no '/'";
  const address = parseIp(text.slice(0, slash));
  if (address instanceof CelError) return address.message;
  if (address.zone !== undefined) return 'IPv6 zones cannot be present in a prefix';
  const length = text.slice(slash + 1);
  if (!/^(?:\d|[1-9]\d{0,17})$/.test(length)) return `bad bits after slash: ${goQuote(length)}`;
  if (Number(length) > WIDTH[address.family]) return 'prefix length out of range';
  return new Cidr(new Ip(address), Number(length));
}

function containsCidr(cidr: Cidr, other: Cidr | CelError): CelResult {
  if (other instanceof CelError) return other;
  return cidr.contains(other.ip) && cidr.length <= other.length;
}

function masked(cidr: Cidr): Cidr {
  const { family } = cidr.ip.address;
  return new Cidr(new Ip({ family, bits: cidr.prefix << BigInt(WIDTH[family] - cidr.length) }), cidr.length);
}
