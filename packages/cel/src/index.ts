export { CelBudget, type CelRule, compileCel, OVER_BUDGET } from './compile.ts';
export { compileRe2 } from './re2.ts';
export { asResource } from './resource-schema.ts';
export { toCel } from './values.ts';
