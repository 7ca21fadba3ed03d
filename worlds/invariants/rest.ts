import { DISRUPTED_TAINT } from '@karpenter-ts/apis';
import { isTrue, nanosToMilliseconds, parseDuration } from '@karpenter-ts/kubernetes';
import { HOUR, type Instant, MINUTE } from '@karpenter-ts/runtime';
import type { Instances } from '../cluster/snapshot.ts';
import type { Violation } from './violation.ts';

/** A cluster in which nothing has changed is looked at anew every five minutes; then there is nothing more to come. */
const QUIET = 6 * MINUTE;

/** What is known of a calm cluster in which everything runs. */
export interface QuietCluster extends Instances {
  readonly now: Instant;
  /** When the last command was started; undefined if none was. */
  readonly lastCommand: Instant | undefined;
}

/** Finds out why the cluster has not come to rest yet. The list is empty once it has. */
export function findUnrest(cluster: QuietCluster): readonly Violation[] {
  return [...findMarks(cluster), ...findActivity(cluster)];
}

function findActivity({ lastCommand, now }: QuietCluster): readonly Violation[] {
  if (lastCommand === undefined || now - lastCommand >= QUIET) return [];
  return [{ invariant: 'rest', detail: `nodes are still disrupted, last ${(now - lastCommand) / MINUTE} minutes ago` }];
}

/** What a command has marked is deleted in the end, or the mark is taken off. */
function findMarks({ nodes, claims }: QuietCluster): readonly Violation[] {
  const tainted = nodes.filter(
    ({ metadata, spec }) =>
      metadata.deletionTimestamp === undefined &&
      spec?.taints?.some(({ key, effect }) => key === DISRUPTED_TAINT.key && effect === DISRUPTED_TAINT.effect),
  );
  const marked = claims.filter(
    (claim) => claim.metadata.deletionTimestamp === undefined && isTrue(claim, 'DisruptionReason'),
  );
  return [
    ...tainted.map(({ metadata }): Violation => ({ invariant: 'rest', detail: `${metadata.name} is still tainted` })),
    ...marked.map(({ metadata }): Violation => ({ invariant: 'rest', detail: `${metadata.name} is still marked` })),
  ];
}

/** Whether a cluster can come to rest: where nodes expire every few minutes there is always something to do. */
export function canRest({ claims }: Instances): boolean {
  return claims.every(
    ({ spec }) => spec.expireAfter === 'Never' || nanosToMilliseconds(parseDuration(spec.expireAfter)) > 12 * HOUR,
  );
}
