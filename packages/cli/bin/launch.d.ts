/** See launch.js. */
export function heapFlags(env: Readonly<Record<string, string | undefined>>, args?: readonly string[]): string[];
export function cacheFolder(
  env: Readonly<Record<string, string | undefined>>,
  findHome?: () => string,
): string | undefined;
export function findNode(
  version?: string,
  platform?: string,
  find?: (name: string | undefined) => string | undefined,
): string | undefined;
export function launch(args: readonly string[], env?: Readonly<Record<string, string | undefined>>): void;
