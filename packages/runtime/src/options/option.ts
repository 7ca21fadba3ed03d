import type { OptionType } from './option-type.ts';

/** A setting. One row defines everything about it. */
export interface Option<T> {
  /** Without dashes. */
  readonly flag: string;
  /** The environment variable that is read if the flag is not given. */
  readonly variable: string;
  readonly type: OptionType<T>;
  readonly fallback: T;
  readonly help: string;
}

/** Settings by their names in the program, in the order in which they are checked. */
export type OptionRows = Readonly<Record<string, Option<unknown>>>;

/** The values of a set of options. */
export type Parsed<R extends OptionRows> = { readonly [K in keyof R]: R[K] extends Option<infer T> ? T : never };

/** The default values of a set of options. */
export function defaultsOf<R extends OptionRows>(rows: R): Parsed<R> {
  const fallbacks = Object.entries(rows).map(([name, { fallback }]) => [name, fallback]);
  return Object.fromEntries(fallbacks) as Parsed<R>;
}

/** A setting read from `--metrics-port`, else from `METRICS_PORT`, else `fallback`. */
export function option<T>(flag: string, type: OptionType<T>, fallback: NoInfer<T>, help: string): Option<T> {
  return { flag, variable: flag.toUpperCase().replaceAll('-', '_'), type, fallback, help };
}
