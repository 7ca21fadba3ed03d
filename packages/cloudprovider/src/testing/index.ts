// For whoever tests against a cloud, or tests one.
export { type ConformanceTest, conformance, OBLIGATIONS, type Verdict } from './conformance/conformance.ts';
export { testConformance } from './conformance/node-test.ts';
export type { Level, Obligation } from './conformance/obligation.ts';
export { type ConformanceReport, reportConformance } from './conformance/report.ts';
export { type Seed, SEEDED_FAULTS } from './conformance/seeded-faults.ts';
export type { Demand, JoinedNode, TestHooks, Subject } from './conformance/subject.ts';
export { type FakeCall, FakeCloudProvider, type FakeSettings } from './fake-cloud-provider.ts';
export { type Fault, garble, loseAnswer, refuse, repeat, slowDown, throttle } from './fault.ts';
export { makeNodeClaim, type NodeClaimParts } from './node-claims.ts';
