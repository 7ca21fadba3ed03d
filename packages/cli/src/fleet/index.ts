// Fleet files, for those who plan them by other ways than the command: `@karpenter-ts/cli/fleet`.
export { readFleet } from './fleet-file.ts';
export type { Fleet } from './fleet-snapshot.ts';
export type { PlanFile } from './plan-file.ts';
