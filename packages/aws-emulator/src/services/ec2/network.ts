import type { Tags } from './tags.ts';
import type { Zone } from './catalogue.ts';
import type { Refusal } from './refusals.ts';

export interface Vpc {
  readonly id: string;
  readonly serial: number;
  readonly cidr: string;
  readonly isDefault: boolean;
  readonly tags: Tags;
}

export interface SecurityGroup {
  readonly id: string;
  readonly serial: number;
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly tags: Tags;
}

interface NewSubnet {
  readonly id: string;
  readonly serial: number;
  readonly vpcId: string;
  readonly zone: Zone;
  readonly cidr: string;
  readonly ipv6Cidr: string | undefined;
  readonly isDefaultForZone: boolean;
  readonly mapsPublicIps: boolean;
  readonly tags: Tags;
}

/** EC2 keeps the first four addresses of a subnet and the last. */
const KEPT_AT_START = 4;
const KEPT = 5;

/** A subnet and who has which of its addresses. */
export class Subnet {
  readonly id: string;
  readonly serial: number;
  readonly vpcId: string;
  readonly zone: Zone;
  readonly cidr: string;
  readonly ipv6Cidr: string | undefined;
  readonly isDefaultForZone: boolean;
  readonly mapsPublicIps: boolean;
  readonly tags: Tags;
  readonly #first: number;
  readonly #size: number;
  readonly #taken = new Set<number>();
  /** Addresses that others than our instances have. */
  #elsewhere = 0;
  #next = 0;

  constructor({ id, serial, vpcId, zone, cidr, ipv6Cidr, isDefaultForZone, mapsPublicIps, tags }: NewSubnet) {
    this.id = id;
    this.serial = serial;
    this.vpcId = vpcId;
    this.zone = zone;
    this.cidr = cidr;
    this.ipv6Cidr = ipv6Cidr;
    this.isDefaultForZone = isDefaultForZone;
    this.mapsPublicIps = mapsPublicIps;
    this.tags = tags;
    const [address = '', bits = ''] = cidr.split('/');
    this.#first = numberOf(address) + KEPT_AT_START;
    this.#size = 2 ** (32 - Number(bits)) - KEPT;
  }

  get free(): number {
    return Math.max(0, this.#size - this.#taken.size - this.#elsewhere);
  }

  /** Makes it so that just so many addresses are free now. */
  setFree(count: number): void {
    this.#elsewhere = this.#size - this.#taken.size - count;
  }

  /** The given number of addresses, as texts; the caller has made sure that there are as many. */
  take(count: number): readonly string[] {
    const taken: string[] = [];
    while (taken.length < count) {
      const offset = this.#next++ % this.#size;
      if (this.#taken.has(offset)) continue;
      this.#taken.add(offset);
      taken.push(textOf(this.#first + offset));
    }
    return taken;
  }

  giveBack(addresses: readonly string[]): void {
    for (const address of addresses) this.#taken.delete(numberOf(address) - this.#first);
  }

  outOfAddresses(): Refusal {
    return {
      code: 'InsufficientFreeAddressesInSubnet',
      message: `There are not enough free addresses in subnet '${this.id}' to satisfy the requested number of instances.`,
    };
  }
}

function numberOf(address: string): number {
  return address.split('.').reduce((number, part) => number * 256 + Number(part), 0);
}

function textOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
