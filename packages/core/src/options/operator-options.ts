import { coreOptions } from './core-options.ts';
import { disruptionOptions } from './disruption-options.ts';
import { extensionOptions } from './extension-options.ts';
import type { Parsed } from '@karpenter-ts/runtime';

/** All settings of the controller that belong to no provider: upstream's, and ours. */
export const operatorOptions = {
  ...coreOptions,
  ...extensionOptions,
  ...disruptionOptions,
};

/** Their values. */
export type OperatorOptions = Parsed<typeof operatorOptions>;
