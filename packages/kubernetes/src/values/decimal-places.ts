/** Go's `%.<places>f`: rounded from the exact value of the double, halves to even, unlike `toFixed`. */
export function formatPlaces(value: number, places: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
  const digits = scaleToInteger(Math.abs(value), places)
    .toString()
    .padStart(places + 1, '0');
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  return sign + (places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`);
}

/** `value × 10^power` of a finite double that is not negative, rounded to an integer with halves to even. */
export function scaleToInteger(value: number, power: number): bigint {
  const bits = new BigUint64Array(new Float64Array([value]).buffer)[0]!;
  const raw = Number(bits >> 52n);
  const mantissa = (bits & (2n ** 52n - 1n)) + (raw === 0 ? 0n : 2n ** 52n);
  const binary = Math.max(raw, 1) - 1075;
  const numerator = mantissa * 10n ** BigInt(Math.max(power, 0)) * 2n ** BigInt(Math.max(binary, 0));
  const denominator = 10n ** BigInt(Math.max(-power, 0)) * 2n ** BigInt(Math.max(-binary, 0));
  const quotient = numerator / denominator;
  const twiceRest = 2n * (numerator % denominator);
  const roundsUp = twiceRest > denominator || (twiceRest === denominator && quotient % 2n === 1n);
  return roundsUp ? quotient + 1n : quotient;
}
