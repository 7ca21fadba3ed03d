import { type ExtensionOptions, extensionOptions } from '@karpenter-ts/core';
import { parseOptions } from '@karpenter-ts/runtime';
import type { Io } from '../io.ts';

/** As written on the command line; the controller's flags of the same names are read the same way. */
export type ExtensionFlags = { readonly [K in keyof ExtensionOptions]?: string };

/** The settings, or `undefined` once it is said what is wrong with them. Those that are not given have their defaults. */
export function readExtensions(flags: ExtensionFlags, io: Io): ExtensionOptions | undefined {
  const names = Object.keys(extensionOptions) as (keyof ExtensionOptions)[];
  const argv = names.flatMap((name) => {
    const value = flags[name];
    return value === undefined ? [] : [`--${extensionOptions[name].flag}=${value}`];
  });
  const parsed = parseOptions({ extensions: { rows: extensionOptions } }, argv, {});
  if (parsed.kind === 'parsed') return parsed.options.extensions;
  io.stderr.write(`error: ${parsed.kind === 'refused' ? parsed.problem : parsed.usage}\n`);
  io.exitCode = 2;
  return undefined;
}
