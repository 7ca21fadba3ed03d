/** One call of kubectl, and what of its outcome must be the same everywhere. */
export interface Step {
  readonly args: readonly string[];
  /** Its standard input. */
  readonly input?: string;
  /** A sed expression that stands for the user's editor. */
  readonly edit?: string;
  /** The order of lines is random. */
  readonly sorted?: true;
  /** Only matching lines are compared: the others are the server's own words. */
  readonly keep?: RegExp;
  /**
   * The step is repeated until its output matches, because controllers take time. Only for steps that change nothing.
   */
  readonly until?: RegExp;
  /** Runs beside `steps`, from its first output on, and is ended when it has shown `end`: `get --watch`. */
  readonly during?: { readonly steps: readonly Step[]; readonly end: RegExp };
}

type Options = Omit<Step, 'args'>;

/**
 * A step from the command line as one would type it. Words are split at spaces; `{}` stands for the next of the values,
 * which may hold spaces themselves.
 */
export function kubectl(line: string, ...rest: readonly (string | Options)[]): Step {
  const values = rest.filter((one) => typeof one === 'string');
  const options = rest.find((one) => typeof one !== 'string') ?? {};
  return { args: line.split(' ').map((word) => word.replace('{}', () => values.shift() ?? '')), ...options };
}

/** How a step is named in reports. */
export function titleOf({ args }: Step): string {
  return `kubectl ${args.map((arg) => (/\s/.test(arg) ? `'${arg}'` : arg)).join(' ')}`;
}
