import {
  formatTaint,
  isKnownEphemeralTaint,
  isSameTaint,
  type NodeClaim,
  REQUESTED_DRA_DRIVERS,
} from '@karpenter-ts/apis';
import { memberOf, type Node, parseQuantity, type ResourceSlice } from '@karpenter-ts/kubernetes';
import { isReady } from '../../kinds/node.ts';

/** Why a registered Node is not initialised, as reason and message of the NodeClaim's condition `Initialized`. */
export interface Obstacle {
  readonly reason: string;
  readonly message: string;
}

/**
 * What the checks read. `slices`: the ResourceSlices local to the Node; undefined unless dynamic resource allocation is
 * on.
 */
export interface InitializationFacts {
  readonly nodeClaim: NodeClaim;
  readonly node: Node;
  readonly slices: readonly ResourceSlice[] | undefined;
}

type Check = (facts: InitializationFacts) => Obstacle | undefined;

const CHECKS: readonly Check[] = [checkReady, checkStartupTaints, checkEphemeralTaints, checkResources, checkDrivers];

/** The first obstacle in upstream's order; undefined if the Node can take pods (spec 03 §3.3). */
export function findObstacle(facts: InitializationFacts): Obstacle | undefined {
  for (const check of CHECKS) {
    const obstacle = check(facts);
    if (obstacle !== undefined) return obstacle;
  }
  return undefined;
}

function checkReady({ node }: InitializationFacts): Obstacle | undefined {
  return isReady(node) ? undefined : { reason: 'NodeNotReady', message: 'Node status is NotReady' };
}

function checkStartupTaints({ node, nodeClaim }: InitializationFacts): Obstacle | undefined {
  for (const startup of nodeClaim.spec.startupTaints ?? []) {
    const taint = node.spec?.taints?.find((present) => isSameTaint(startup, present));
    if (taint === undefined) continue;
    return { reason: 'StartupTaintsExist', message: `StartupTaint "${formatTaint(taint)}" still exists` };
  }
  return undefined;
}

function checkEphemeralTaints({ node }: InitializationFacts): Obstacle | undefined {
  const taint = node.spec?.taints?.find(isKnownEphemeralTaint);
  if (taint === undefined) return undefined;
  return { reason: 'KnownEphemeralTaintsExist', message: `KnownEphemeralTaint "${formatTaint(taint)}" still exists` };
}

/** Device plugins report their resources some time after the kubelet has started. */
function checkResources({ node, nodeClaim }: InitializationFacts): Obstacle | undefined {
  const allocatable = node.status?.allocatable ?? {};
  for (const [name, amount] of Object.entries(nodeClaim.spec.resources?.requests ?? {})) {
    if (isZero(amount) || !isZero(memberOf(allocatable, name) ?? 0)) continue;
    return { reason: 'ResourceNotRegistered', message: `Resource "${name}" was requested but not registered` };
  }
  return undefined;
}

function checkDrivers({ nodeClaim, slices }: InitializationFacts): Obstacle | undefined {
  if (slices === undefined) return undefined;
  const driver = findUnpublishedDriver(nodeClaim.metadata.annotations?.[REQUESTED_DRA_DRIVERS] ?? '', slices);
  if (driver === undefined) return undefined;
  return {
    reason: 'DRADriverPoolsNotPublished',
    message: `DRA driver "${driver}" has not published a complete resource pool`,
  };
}

function isZero(amount: string | number): boolean {
  return parseQuantity(amount).nanos === 0n;
}

/**
 * The first of the drivers (names separated by commas) without a complete pool among a Node's ResourceSlices; undefined
 * if all have one. A pool is complete when all slices of its newest generation exist.
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

/** The slices of the newest generation say how many there must be. */
function isWhole(pool: readonly ResourceSlice[]): boolean {
  const generation = Math.max(...pool.map(({ spec }) => spec.pool.generation));
  const newest = pool.filter(({ spec }) => spec.pool.generation === generation);
  const declared = newest[0]!.spec.pool.resourceSliceCount;
  return declared > 0 && declared === newest.length;
}
