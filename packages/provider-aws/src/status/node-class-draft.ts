import type { EC2NodeClass, Ec2NodeClassCondition } from '@karpenter-ts/apis';
import { type Condition, type ConditionChange, type ConditionRules, Conditions } from '@karpenter-ts/kubernetes';
import type { Clock } from '@karpenter-ts/runtime';
import type { NodeClassStatus } from '../node-class/node-class-parts.ts';

/** What steps write of a status besides its conditions. */
type Findings = Partial<Omit<NodeClassStatus, 'conditions'>>;

export interface DraftOptions {
  readonly rules: ConditionRules<Ec2NodeClassCondition>;
  readonly clock: Clock;
}

/**
 * An EC2NodeClass whose status is being worked out: each step sees what the steps before it have found. The object it
 * started from stays as it is; what is written in the end is the difference.
 */
export class NodeClassDraft {
  readonly #options: DraftOptions;
  #nodeClass: EC2NodeClass;

  constructor(nodeClass: EC2NodeClass, options: DraftOptions) {
    this.#options = options;
    this.#nodeClass = nodeClass;
    this.#store(this.#conditions);
  }

  /** As it would be written now. */
  get nodeClass(): EC2NodeClass {
    return this.#nodeClass;
  }

  /** Writes members of the status; undefined removes one. */
  report(findings: Findings): void {
    this.#nodeClass = { ...this.#nodeClass, status: { ...this.#nodeClass.status, ...findings } };
  }

  condition(type: Ec2NodeClassCondition): Condition | undefined {
    return this.#conditions.find(type);
  }

  /** Whether the condition is True of the spec as it is now. */
  holds(type: Ec2NodeClassCondition): boolean {
    const { status, observedGeneration = 0 } = this.condition(type) ?? {};
    return status === 'True' && observedGeneration === (this.#nodeClass.metadata.generation ?? 0);
  }

  /** Also works out `Ready` anew. */
  setCondition(change: ConditionChange<Ec2NodeClassCondition>): void {
    this.#store(this.#conditions.set(change));
  }

  /** Removes a condition that `Ready` does not depend on. */
  clearCondition(type: Ec2NodeClassCondition): void {
    this.#store(this.#conditions.clear(type));
  }

  get #conditions(): Conditions<Ec2NodeClassCondition> {
    const { rules, clock } = this.#options;
    return new Conditions(this.#nodeClass, rules, clock.now());
  }

  #store({ list }: Conditions<Ec2NodeClassCondition>): void {
    const { status } = this.#nodeClass;
    if (list === status?.conditions) return;
    const conditions = list as NonNullable<NodeClassStatus['conditions']>; // each has a reason and a message
    this.#nodeClass = { ...this.#nodeClass, status: { ...status, conditions } };
  }
}
