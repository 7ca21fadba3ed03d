/** What part of a whole a percentage from `0%` to `100%` is, decimals allowed; `undefined` if the text is none. */
export function findPercentage(text: string): number | undefined {
  const match = /^([0-9]+(?:\.[0-9]+)?)%$/.exec(text);
  const percent = match === null ? Number.NaN : Number(match[1]);
  return percent <= 100 ? percent / 100 : undefined;
}

/** The part as a percentage. */
export function formatPercentage(part: number): string {
  return `${Number((part * 100).toPrecision(12))}%`;
}
