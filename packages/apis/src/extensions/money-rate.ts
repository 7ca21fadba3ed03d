/** Dollars per hour of a rate such as `0.05/h`; `undefined` if the text is none. */
export function findMoneyRate(text: string): number | undefined {
  const match = /^([0-9]+(?:\.[0-9]+)?)\/h$/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** The rate as it is written. */
export function formatMoneyRate(dollarsPerHour: number): string {
  return `${dollarsPerHour}/h`;
}
