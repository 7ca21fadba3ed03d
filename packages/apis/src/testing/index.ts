// For tests here and elsewhere: the spec's cases as data, and a way to vary objects.
import type { AdmissionCase } from './admission-case.ts';
import { CAPACITY_BUFFER_CASES } from './capacity-buffer-cases.ts';
import { EC2_NODE_CLASS_CASES } from './ec2-node-class-cases.ts';
import { NODE_CLAIM_CASES } from './node-claim-cases.ts';
import { NODE_OVERLAY_CASES } from './node-overlay-cases.ts';
import { NODE_POOL_CASES } from './node-pool-cases.ts';

export type { AdmissionCase, Refusal, UpdateCase } from './admission-case.ts';
export { MINIMAL_NODE_POOL } from './node-pool-cases.ts';
export { type Changes, variant } from './variant.ts';

/** Every case about what an API server admits. */
export const ADMISSION_CASES: readonly AdmissionCase[] = [
  ...NODE_POOL_CASES,
  ...NODE_CLAIM_CASES,
  ...NODE_OVERLAY_CASES,
  ...CAPACITY_BUFFER_CASES,
  ...EC2_NODE_CLASS_CASES,
];
