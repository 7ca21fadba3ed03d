/** What the order of NodePools is made from. */
export interface Weighted {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly weight?: number | undefined };
}

/**
 * Sorts the one to be tried first to the front: higher weight (unset is 0), then the name later in the alphabet, so
 * that the order is always the same. NodeOverlays use the same order: what comes first wins.
 */
export function compareByWeight(a: Weighted, b: Weighted): number {
  const difference = (b.spec.weight ?? 0) - (a.spec.weight ?? 0);
  if (difference !== 0 || a.metadata.name === b.metadata.name) return difference;
  return a.metadata.name > b.metadata.name ? -1 : 1;
}
