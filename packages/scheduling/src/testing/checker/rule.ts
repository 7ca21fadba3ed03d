import type { CheckedPlan } from './checked-plan.ts';

/** One rule of the spec: a sentence for every place where a plan breaks it. */
export type Rule = (checked: CheckedPlan) => readonly string[];
