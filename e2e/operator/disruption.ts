import { DISRUPTED_TAINT, NODE_CLAIMS, NODE_POOLS, type NodeClaim } from '@karpenter-ts/apis';
import { DEPLOYMENTS, isTrue } from '@karpenter-ts/kubernetes';
import type { LiveNode } from './live-objects.ts';
import type { Tenant } from './tenant.ts';
import { until } from './until.ts';

/** Disruption of a pool: nothing waits, and no budget holds anything back, unless told. */
export function disrupting(rest: object = {}): Readonly<Record<string, unknown>> {
  return { disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }], ...rest } };
}

/** Changes the number of pods of a Deployment. */
export async function scale({ client, name: namespace }: Tenant, replicas: number, name = 'app'): Promise<void> {
  await client.patch(DEPLOYMENTS, { namespace, name }, { type: 'merge', body: { spec: { replicas } } });
}

/** Changes the spec of the tenant's pool, as a merge patch. */
export async function changePool({ client, name }: Tenant, spec: object): Promise<void> {
  await client.patch(NODE_POOLS, { name }, { type: 'merge', body: { spec } });
}

/** Resolves when an event of this reason, about a Node, NodeClaim or NodePool, has such a text. */
export async function untilToldOf(tenant: Tenant, reason: string, object: string, text: string): Promise<void> {
  await until(`${object} is told ${reason}: ${text}`, async () => {
    const events = (await tenant.events(reason, 'default')).filter(
      ({ involvedObject }) => involvedObject.name === object,
    );
    if (events.some(({ message }) => message.includes(text))) return true;
    throw new Error(`it is told: ${events.map(({ message }) => message).join('; ')}`);
  });
}

export function isTainted({ spec }: LiveNode): boolean {
  return (
    spec.taints?.some(({ key, effect }) => key === DISRUPTED_TAINT.key && effect === DISRUPTED_TAINT.effect) ?? false
  );
}

/** Whether a command has marked it. */
export function isMarked(nodeClaim: NodeClaim): boolean {
  return isTrue(nodeClaim, 'DisruptionReason');
}

/** What is seen of a pool while its nodes are replaced. */
export interface Roll {
  /** The most NodeClaims that a command had marked at a time. */
  readonly most: number;
  /** NodeClaims that were deleted before another was ready; there should be none. */
  readonly early: readonly string[];
}

/** Watches the pool until none of these NodeClaims is left. */
export async function watchRoll(tenant: Tenant, old: readonly NodeClaim[]): Promise<Roll> {
  const names = new Set(old.map(({ metadata }) => metadata.name));
  const early = new Set<string>();
  let most = 0;
  await until(`${names.size} nodes of ${tenant.name} are replaced`, async () => {
    const claims = await tenant.nodeClaims();
    const left = claims.filter(({ metadata }) => names.has(metadata.name));
    const ready = claims.filter((claim) => !names.has(claim.metadata.name) && isTrue(claim, 'Initialized'));
    const going = left.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    most = Math.max(most, left.filter((claim) => isMarked(claim) && !isTrue(claim, 'InstanceTerminating')).length);
    const gone = names.size - left.length;
    for (const { metadata } of going) if (gone + going.length > ready.length) early.add(metadata.name);
    if (left.length > 0) throw new Error(`${left.length} are left`);
    return true;
  }).catch(async (cause: unknown) => {
    throw new Error(await tenant.outline(), { cause });
  });
  return { most, early: [...early] };
}

/** Takes a NodeClaim away behind the back of the command that waits for it. */
export async function deleteClaim({ client }: Tenant, { metadata }: NodeClaim): Promise<void> {
  await client.delete(NODE_CLAIMS, { name: metadata.name });
}
