// Answers recorded from a real API server, so that ours can be compared without one. Written by e2e with KARPENTER_RECORD=1.
import fuzz from './fuzz.golden.json' with { type: 'json' };
import scripts from './differential.golden.json' with { type: 'json' };

/** The status codes of random requests. A made-up one stands for no answer at all. */
export const RECORDED_FUZZ: { readonly seed: number; readonly codes: readonly number[] } = {
  seed: fuzz.seed,
  codes: fuzz.codes.split(' ').map(Number),
};

/** The digests of the answers to each script, by its name. */
export const RECORDED_SCRIPTS: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries(scripts as Readonly<Record<string, string>>).map(([name, digests]) => [name, digests.split(' ')]),
);
