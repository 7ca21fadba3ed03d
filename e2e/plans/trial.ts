// Carries out many random plans at a time, on any control plane.
import { type ContractContext, type ContractTarget, runContract } from '@karpenter-ts/embedded-contract';
import { type FleetTraits, type RandomFleet, randomFleet } from '@karpenter-ts/scheduling/testing';
import { carryOutFreely, carryOutNominated } from './carry-out.ts';

/** Enough to keep a control plane busy; more nodes at a time only make a real one slow. */
const CONCURRENCY = 20;

/** The seeds of a trial: 20 unless `KARPENTER_PLANS` says otherwise, from `KARPENTER_SEED` on. */
export function trialSeeds(env: NodeJS.ProcessEnv = process.env): readonly number[] {
  const first = Number(env['KARPENTER_SEED'] ?? 1);
  return Array.from({ length: Number(env['KARPENTER_PLANS'] ?? 20) }, (_, index) => first + index);
}

/** The outcome for pods that were nominated for their nodes. */
export interface NominatedTotals {
  readonly placed: number;
  /** Pods that did not get theirs, each with the seed of its fleet. */
  readonly misplaced: readonly string[];
}

/** Carries out the plans of these fleets, nominating the planned nodes. Rejects if one could not be carried out. */
export async function tryNominated(seeds: readonly number[], target: ContractTarget): Promise<NominatedTotals> {
  const outcomes = await tryFleets(seeds, { portable: true }, carryOutNominated, target);
  return {
    placed: sumOf(outcomes, ({ placed }) => placed),
    misplaced: outcomes.flatMap(({ seed, misplaced }) => misplaced.map((pod) => `seed ${seed}: ${pod}`)),
  };
}

/** The outcome for pods that were left to the scheduler. */
export interface FreeTotals {
  readonly placed: number;
  /** How many of them got a node at once. */
  readonly atOnce: number;
  /** Those without a node after two more passes, each with the seed of its fleet. */
  readonly waiting: readonly string[];
}

/** Carries out the plans of these fleets as a provisioner does: it buys nodes, and the scheduler decides. */
export async function tryFreely(seeds: readonly number[], target: ContractTarget): Promise<FreeTotals> {
  const outcomes = await tryFleets(seeds, { portable: true, forgiving: true }, carryOutFreely, target);
  return {
    placed: sumOf(outcomes, ({ placed }) => placed),
    atOnce: sumOf(outcomes, ({ placed, waiting: [first = 0] }) => placed - first),
    waiting: outcomes.flatMap(({ seed, messages }) => messages.map((pod) => `seed ${seed}: ${pod}`)),
  };
}

async function tryFleets<T>(
  seeds: readonly number[],
  traits: Partial<FleetTraits>,
  carryOut: (fleet: RandomFleet, context: ContractContext) => Promise<T>,
  target: ContractTarget,
): Promise<readonly (T & { readonly seed: number })[]> {
  const outcomes: (T & { readonly seed: number })[] = [];
  const cases = seeds.map((seed) => ({
    name: `fleet ${seed}`,
    run: async (context: ContractContext) => {
      outcomes.push({ seed, ...(await carryOut(randomFleet(seed, traits), context)) });
    },
  }));
  const errors = [...(await runContract(cases, target, CONCURRENCY))].filter(([, error]) => error !== undefined);
  if (errors.length === 0) return outcomes;
  throw new AggregateError(
    errors.map(([{ name }, cause]) => new Error(name, { cause })),
    `${errors.length} of ${seeds.length} plans could not be carried out`,
  );
}

function sumOf<T>(items: readonly T[], amount: (item: T) => number): number {
  return items.reduce((sum, item) => sum + amount(item), 0);
}
