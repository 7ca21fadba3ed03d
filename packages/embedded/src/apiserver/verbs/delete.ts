import { type Instant, SECOND } from '@karpenter-ts/runtime';
import { timestamp } from '@karpenter-ts/kubernetes';
import { isSameJson } from '../json-value.ts';
import { type KubeObject, withMetadata } from '../object.ts';
import { conflict, notFound } from '../status.ts';
import { keyOf } from '../storage/objects.ts';
import type { Strategy } from '../strategy.ts';
import type { Write, WriteContext } from './create.ts';
import type { DeleteOptions } from './options.ts';

/** The outcome of a deletion. */
export interface Deleted {
  readonly object: KubeObject;
  /** `kept`: a grace period or finalizers hold it. `pending`: an earlier deletion does, and this one changed nothing. */
  readonly outcome: 'gone' | 'kept' | 'pending';
}

/**
 * Deletes an object, or marks it as deleted when it has a grace period or finalizers. Throws an ApiError.
 *
 * A second deletion can only shorten the grace period of the first.
 */
export function remove(
  context: WriteContext,
  write: Write & { readonly name: string },
  options: DeleteOptions,
): Deleted {
  const { strategy, name, namespace } = write;
  const old = context.objects.get(strategy, keyOf(name, namespace));
  if (old === undefined) throw notFound(strategy.resource, name);
  checkPreconditions(old, strategy, options);
  if (old.metadata.deletionTimestamp && strategy.isHeld(old)) return { object: old, outcome: 'pending' };
  const now = context.clock.now();
  const prepared = old.metadata.deletionTimestamp ? old : strategy.prepareDelete(old, timestamp(now));
  const plan = planDeletion(prepared, strategy, options, now);
  if (plan.outcome === 'pending' || options.dryRun) return plan;
  // Those who watch see the end of a grace period, even one of no seconds.
  const object =
    plan.isMarked && !isSameJson(plan.object, old) ? context.objects.put(strategy, plan.object) : plan.object;
  if (plan.outcome === 'kept') return { object, outcome: 'kept' };
  return { object: context.objects.remove(strategy, object), outcome: 'gone' };
}

/** Throws an ApiError if a precondition does not hold. */
export function checkPreconditions(
  { metadata }: KubeObject,
  { resource }: Strategy,
  { preconditions }: DeleteOptions,
): void {
  const place = { group: resource.group, plural: resource.kind }; // the real server names the kind here
  const { uid, resourceVersion } = preconditions ?? {};
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw conflict(place, metadata.name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw conflict(place, metadata.name, why);
  }
}

/** `isMarked`: the object now says that it is deleted. */
type Plan = Deleted & { readonly isMarked: boolean };

function planDeletion(old: KubeObject, strategy: Strategy, options: DeleteOptions, now: Instant): Plan {
  const graceful = gracefully(old, strategy, options, now);
  if (graceful === 'pending') return { object: old, outcome: 'pending', isMarked: false };
  const object = withMetadata(graceful ?? old, { finalizers: finalizersFor(old, strategy, options) });
  const isHeld = !strategy.isFinal(object);
  if (graceful === undefined && !isHeld) return { object, outcome: 'gone', isMarked: false };
  if (graceful === undefined) return { object: marked(object, strategy, now), outcome: 'kept', isMarked: true };
  const isKept = isHeld || object.metadata.deletionGracePeriodSeconds! > 0;
  return { object, outcome: isKept ? 'kept' : 'gone', isMarked: true };
}

/** The latest time that can be encoded: a grace period may be any int64. */
const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59);

/** The object in its grace period; `pending` if an earlier deletion stands, undefined if the kind knows no grace. */
function gracefully(
  old: KubeObject,
  strategy: Strategy,
  options: DeleteOptions,
  now: Instant,
): KubeObject | 'pending' | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds: before, generation } = old.metadata;
  const asked =
    options.gracePeriodSeconds !== undefined && options.gracePeriodSeconds < 0 ? 1 : options.gracePeriodSeconds;
  const grace = strategy.graceSeconds(old, asked);
  if (grace === undefined) return undefined;
  if (deletionTimestamp) {
    if (!before) return undefined;
    return asked === undefined || asked >= before ? 'pending' : shortened(old, asked, now);
  }
  return withMetadata(old, {
    deletionTimestamp: timestamp(Math.min(now + grace * SECOND, LATEST)),
    deletionGracePeriodSeconds: grace,
    generation: generation && generation + 1,
  });
}

/** Brings the deletion timestamp forward, but never into the past: of a period that is over, one second remains. */
function shortened(old: KubeObject, seconds: number, now: Instant): KubeObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  const due = Date.parse(deletionTimestamp!) + (seconds - deletionGracePeriodSeconds!) * SECOND;
  const isOver = due < now;
  return withMetadata(old, {
    deletionTimestamp: timestamp(isOver ? now : due),
    deletionGracePeriodSeconds: isOver && seconds !== 0 ? 1 : seconds,
  });
}

function marked(object: KubeObject, { traits }: Strategy, now: Instant): KubeObject {
  const { deletionTimestamp, generation } = object.metadata;
  const isSooner = deletionTimestamp && Date.parse(deletionTimestamp) <= now;
  if (traits.bareDeletion)
    return deletionTimestamp ? object : withMetadata(object, { deletionTimestamp: timestamp(now) });
  return withMetadata(object, {
    deletionTimestamp: isSooner ? deletionTimestamp : timestamp(now),
    deletionGracePeriodSeconds: 0,
    generation: generation && !deletionTimestamp ? generation + 1 : generation,
  });
}

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Adds or removes the finalizers that tell the garbage collector what to do with dependents, as the options say. */
function finalizersFor(old: KubeObject, strategy: Strategy, options: DeleteOptions): readonly string[] | undefined {
  const present = old.metadata.finalizers ?? [];
  const policy = propagationFor(present, strategy, options);
  const wanted = policy === 'Orphan' ? ORPHAN : policy === 'Foreground' ? FOREGROUND : undefined;
  const others = present.filter((one) => one !== ORPHAN && one !== FOREGROUND);
  const isAsWanted = present.length === others.length + (wanted ? 1 : 0) && (!wanted || present.includes(wanted));
  const finalizers = isAsWanted ? present : wanted ? [...others, wanted] : others;
  return finalizers.length > 0 ? finalizers : undefined;
}

function propagationFor(
  finalizers: readonly string[],
  { traits }: Strategy,
  { propagationPolicy, orphanDependents }: DeleteOptions,
): DeleteOptions['propagationPolicy'] {
  if (traits.dependents === 'ignored') return 'Background';
  if (orphanDependents !== undefined) return orphanDependents ? 'Orphan' : 'Background';
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (finalizers.includes(ORPHAN)) return 'Orphan';
  if (finalizers.includes(FOREGROUND)) return 'Foreground';
  return traits.dependents === 'orphaned' ? 'Orphan' : 'Background';
}
