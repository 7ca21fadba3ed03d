// Loaded before all tests (`packages/cli/bin/run.js --test`): property tests try the same values in every run, so that a
// change that passes once passes in CI. Others: KARPENTER_SEED=N.
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['KARPENTER_SEED'] ?? 20261116) });
