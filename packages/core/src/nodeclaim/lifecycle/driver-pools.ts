import type { ResourceSlice } from '../../kinds/resource-slice.ts';

/**
 * The first of the drivers (names separated by commas) that has no whole pool among a Node's slices; undefined when
 * all have one. A pool is whole when all slices its newest generation consists of are there.
 */
export function findUnpublishedDriver(drivers: string, slices: readonly ResourceSlice[]): string | undefined {
  const wanted = drivers.split(',').map((driver) => driver.trim());
  const published = driversWithWholePools(slices);
  return wanted.find((driver) => driver !== '' && !published.has(driver));
}

function driversWithWholePools(slices: readonly ResourceSlice[]): ReadonlySet<string> {
  const pools = Map.groupBy(slices, ({ spec }) => `${spec.driver}\0${spec.pool.name}`);
  const drivers = new Set<string>();
  for (const pool of pools.values()) if (isWhole(pool)) drivers.add(pool[0]!.spec.driver);
  return drivers;
}

/** The first slice of the newest generation says how many there are to be. */
function isWhole(pool: readonly ResourceSlice[]): boolean {
  const generation = Math.max(...pool.map(({ spec }) => spec.pool.generation));
  const newest = pool.filter(({ spec }) => spec.pool.generation === generation);
  const declared = newest[0]!.spec.pool.resourceSliceCount;
  return declared > 0 && declared === newest.length;
}
