/** Which extensions may do anything: those with one of these ids in capitals, such as `A1` (spec 09). */
export type Extensions = 'all' | ReadonlySet<string>;

/** Whether one of them may. */
export function isExtensionOn(extensions: Extensions, id: string): boolean {
  return extensions === 'all' || extensions.has(id);
}

/** The extensions that are built. */
export const BUILT_EXTENSIONS: ReadonlySet<string> = new Set(['A1', 'A4']);
