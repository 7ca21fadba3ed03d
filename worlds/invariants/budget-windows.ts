import type { Budget } from '@karpenter-ts/apis';
import { HOUR, type Instant, MINUTE } from '@karpenter-ts/runtime';

/**
 * How many nodes budgets allow to be disrupted for a reason. It is written anew for the worlds, which must not ask the
 * code that they judge; it knows the schedules that worlds have, and no other: `M * * * *`, and `*` for each minute of a
 * step.
 */
export function countAllowed(
  budgets: readonly Budget[],
  { reason, total, wall }: { readonly reason: string; readonly total: number; readonly wall: Instant },
): number {
  const counts = budgets
    .filter(({ reasons }) => reasons === undefined || (reasons as readonly string[]).includes(reason))
    .filter((budget) => isOpen(budget, wall))
    .map(({ nodes }) => {
      const number = Number.parseInt(nodes, 10);
      return nodes.endsWith('%') ? Math.ceil((number * total) / 100) : number;
    });
  return Math.min(Infinity, ...counts);
}

function isOpen({ schedule, duration }: Budget, wall: Instant): boolean {
  if (schedule === undefined || duration === undefined) return true;
  const [, step, minute] = /^(?:\*\/(\d+)|(\d+)) \* \* \* \*$/.exec(schedule) ?? [];
  const length = /^(\d+)m$/.exec(duration)?.[1];
  if ((step ?? minute) === undefined || length === undefined) throw new Error(`worlds cannot tell ${schedule}`);
  const period = step === undefined ? HOUR : Number(step) * MINUTE;
  const offset = minute === undefined ? 0 : Number(minute) * MINUTE;
  // Both periods divide an hour, and the epoch began with one.
  const sinceHit = (((wall - offset) % period) + period) % period;
  return sinceHit < Number(length) * MINUTE;
}
