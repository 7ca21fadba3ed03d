/** A number of things, or a share of them such as `25%`. */
export type IntOrPercent = number | string;

/** How many of `total` are meant. Shares that are no whole number are rounded as told. */
export function scaledValue(value: IntOrPercent, total: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const share = (Number.parseInt(value, 10) * total) / 100;
  return rounding === 'up' ? Math.ceil(share) : Math.floor(share);
}
