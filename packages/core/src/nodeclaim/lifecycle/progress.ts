import { isDeepStrictEqual } from 'node:util';
import { findCondition, READY } from '@karpenter-ts/kubernetes';
import { NODE_CLAIM_CONDITIONS, NODE_CLAIMS, type NodeClaim } from '@karpenter-ts/apis';
import { type Instant, isConflict, isNotFound, mergePatchOf, SECOND, withGrace } from '@karpenter-ts/runtime';
import { withCondition } from '../../writes/conditions.ts';
import { asChange, type Pass } from './step.ts';

/** A NodeClaim's conditions have few writers: more conflicts in a row than this have another cause. */
const MAX_TRIES = 5;

/** How long recording a launch may go on after the process was told to stop. */
const NOTE_GRACE = 1 * SECOND;

/** A NodeClaim before and after the steps of a pass. */
export interface Progress {
  readonly before: NodeClaim;
  readonly after: NodeClaim;
}

/**
 * Writes the changes of a pass: labels and annotations first, then the status. The steps have acted already, so a
 * conflict must not lose their results: the conditions that others wrote meanwhile are kept and ours are set on top.
 * (Upstream replaces the list.) A launch is recorded even if the process is stopping, or the next process would create
 * a second instance. False if the NodeClaim is gone.
 */
export function saveProgress(life: Pass, progress: Progress): Promise<boolean> {
  const { before, after } = progress;
  if (before.status?.providerID === after.status?.providerID) return save(life, progress);
  return withGrace(life.clock, NOTE_GRACE, life.signal, (signal) => save({ ...life, signal }, progress));
}

async function save(life: Pass, progress: Progress): Promise<boolean> {
  const { before, after } = progress;
  const { client, signal, writtenNodeClaims } = life;
  const { name } = before.metadata;
  try {
    const metadata = mergePatchOf(before.metadata, after.metadata);
    let base = before;
    if (metadata !== undefined) {
      base = await client.patch<NodeClaim>(NODE_CLAIMS, { name }, { type: 'merge', body: { metadata } }, {}, signal);
      writtenNodeClaims.remember(base);
    }
    const saved = await saveStatus(life, progress, base);
    if (saved !== undefined) writtenNodeClaims.remember(saved);
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** `base` is the NodeClaim as the server last returned it. Undefined if there is nothing to write. */
async function saveStatus(life: Pass, progress: Progress, base: NodeClaim): Promise<NodeClaim | undefined> {
  const { client, clock, signal } = life;
  const { name } = base.metadata;
  for (let tries = 1, latest = base; ; tries++) {
    const status = mergePatchOf(latest.status, replay(progress, latest, clock.now()).status);
    if (status === undefined) return undefined;
    const body = { metadata: { resourceVersion: latest.metadata.resourceVersion }, status };
    try {
      const patch = { type: 'merge', body } as const;
      return await client.patch<NodeClaim>(NODE_CLAIMS, { name }, patch, { subresource: 'status' }, signal);
    } catch (error) {
      if (tries === MAX_TRIES || !isConflict(error)) throw error;
      latest = await client.get<NodeClaim>(NODE_CLAIMS, { name }, {}, signal);
      if (latest.metadata.uid !== base.metadata.uid) throw error; // another NodeClaim of the same name
    }
  }
}

/**
 * Applies the same changes to a newer version of the NodeClaim: what the pass did not change stays as that version has
 * it.
 */
export function replay({ before, after }: Progress, latest: NodeClaim, now: Instant): NodeClaim {
  if (latest === before || isDeepStrictEqual(latest.status, before.status)) return after;
  const { conditions = [], ...fields } = after.status ?? {};
  const { conditions: _, ...oldFields } = before.status ?? {};
  let replayed: NodeClaim = { ...latest, status: { ...latest.status, ...changedMembers(oldFields, fields) } };
  for (const condition of conditions) {
    const isOurs = condition.type !== READY && !isDeepStrictEqual(condition, findCondition(before, condition.type));
    if (isOurs) replayed = withCondition(replayed, NODE_CLAIM_CONDITIONS, asChange(condition), now);
  }
  return replayed;
}

function changedMembers(before: object, after: object): object {
  const old = before as Record<string, unknown>;
  return Object.fromEntries(Object.entries(after).filter(([member, value]) => !isDeepStrictEqual(old[member], value)));
}
