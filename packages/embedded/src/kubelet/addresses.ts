/** Hands out IPv4 addresses of a range in turn. Used ones come back only when the range has been gone through. */
export class AddressRange {
  readonly #base: number;
  readonly #size: number;
  #next = 0;

  /** Such as `10.128.0.0/9`. The first address is not handed out. */
  constructor(cidr: string) {
    const [address = '', bits = '32'] = cidr.split('/');
    this.#base = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    this.#size = 2 ** (32 - Number(bits)) - 1;
  }

  next(): string {
    const address = this.#base + 1 + (this.#next++ % this.#size);
    return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');
  }
}
