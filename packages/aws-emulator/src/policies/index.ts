// Identity-based policies: reading them and deciding by them, as IAM does.
export { evaluate, type NearMiss, type PermissionRequest, type Verdict } from './evaluate.ts';
export { type Condition, type PolicyStatement, readPolicy, type ReadPolicy } from './policy-document.ts';
