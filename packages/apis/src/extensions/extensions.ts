/** The extensions that are enabled, by ids in capitals such as `A1` (spec 09). */
export type Extensions = 'all' | ReadonlySet<string>;

/** Whether an extension is enabled. */
export function isExtensionOn(extensions: Extensions, id: string): boolean {
  return extensions === 'all' || extensions.has(id);
}

/** Whether defaults may differ from upstream's where no running pod or node is touched by it (spec 09 §0.3). */
export function hasOwnDefaults(extensions: Extensions): boolean {
  return extensions === 'all' || extensions.size > 0;
}

/** The extensions that are implemented. */
export const BUILT_EXTENSIONS: ReadonlySet<string> = new Set([
  'A1',
  'A2',
  'A3',
  'A4',
  'A5',
  'B1',
  'B2',
  'B3',
  'B4',
  'C5',
]);
