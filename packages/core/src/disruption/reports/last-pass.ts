import type { Instant } from '@karpenter-ts/runtime';
import type { BlockedNode, CandidateScan } from '../candidates/candidate-filters.ts';
import type { Command, MethodName } from '../commands/command.ts';
import type { DisruptionState } from '../view/disruption-state.ts';
import type { EligibleCandidates } from '../candidates/eligibility.ts';

/** What a pass of disruption saw and did, as data, for those who explain it. */
export interface DisruptionPass {
  readonly startedAt: Instant;
  /** Nodes that no graceful method may disrupt, and why. */
  readonly blocked: readonly BlockedNode[];
  /** By method, in the order of their calls; a pass ends with the first method that starts a command. */
  readonly methods: ReadonlyMap<MethodName, EligibleCandidates>;
  /** The commands that it started. */
  readonly commands: readonly Command[];
}

/** Keeps the last pass. It changes while that pass goes on. */
export class LastPass {
  #pass: DisruptionPass | undefined;

  /** Undefined until the first pass has read the cluster. */
  get pass(): DisruptionPass | undefined {
    return this.#pass;
  }

  begin({ now }: DisruptionState, { graceful }: CandidateScan): void {
    this.#pass = { startedAt: now, blocked: graceful.blocked, methods: new Map(), commands: [] };
  }

  note(method: MethodName, candidates: EligibleCandidates): void {
    if (this.#pass === undefined) return;
    const methods = new Map(this.#pass.methods).set(method, candidates);
    this.#pass = { ...this.#pass, methods };
  }

  started(command: Command): void {
    if (this.#pass === undefined) return;
    this.#pass = { ...this.#pass, commands: [...this.#pass.commands, command] };
  }
}
