import { hasOwnDefaults } from '@karpenter-ts/apis';
import type { Logger } from '@karpenter-ts/runtime';
import { mayBeApproved, type MoveScore, renderScore } from '../balanced/balanced-score.ts';
import { reportMove } from '../balanced/balanced-report.ts';
import { blockerOfConsolidation } from '../reports/blockers.ts';
import type { Candidate } from '../candidates/candidate.ts';
import { renderNoConsolidation } from '../consolidation/consolidation-text.ts';
import {
  type ConsolidationDeps,
  publishFound,
  questionsAbout,
  toCommand,
  validate,
} from '../consolidation/consolidation-search.ts';
import { DisjointNodes } from '../commands/disjoint-nodes.ts';
import { consolidationApproved, unconsolidatable } from '../reports/disruption-events.ts';
import { consolidationTimeouts } from '../reports/disruption-metrics.ts';
import { findConsolidationObstacle } from '../candidates/eligibility.ts';
import { commandsPerPass, searchLimit } from './search-limits.ts';
import { type Decided, type Method, type MethodTurn, rememberNothingFound } from './method.ts';
import type { Scored } from '../consolidation/multi-node.ts';
import { RememberedOptions } from '../consolidation/remembered-options.ts';
import { ScanAges } from '../reports/scan-ages.ts';
import { type Look, SingleNodeWalk, type WalkEnd } from '../consolidation/single-node.ts';

const PRIORITIZING = 'prioritizing nodepools that have not yet been considered due to timeouts in previous runs';
const TIMED_OUT = 'abandoning single-node consolidation due to timeout';

/** Each costs a wait of 15 s, in which no other method has its turn. */
const MOST_FAILED = 4;

/** A part of a walk. */
interface Stretch {
  readonly found: readonly Scored<MoveScore>[];
  /** Undefined if the walk can go on. */
  readonly end: WalkEnd | undefined;
}

/** Deletes one node, or replaces it by a cheaper one (spec 04 §12a). */
export class SingleNodeConsolidation implements Method {
  readonly name = 'SingleNodeConsolidation';
  readonly reason = 'Underutilized';
  readonly class = 'graceful';
  readonly consolidationType = 'single';
  readonly findObstacle = findConsolidationObstacle;
  readonly #deps: ConsolidationDeps;
  readonly #remembered: RememberedOptions;
  readonly #ages: ScanAges;
  /** NodePools that the last walk had no time for. */
  #unseenPools: ReadonlySet<string> = new Set();

  constructor(deps: ConsolidationDeps) {
    this.#deps = deps;
    this.#remembered = new RememberedOptions(deps.clock);
    this.#ages = new ScanAges(deps);
  }

  follow(candidates: readonly Candidate[]): void {
    this.#ages.follow(candidates);
  }

  async decide(turn: MethodTurn): Promise<readonly Decided[]> {
    const { cluster, memory } = this.#deps;
    if (memory.isConsolidated(this.name, cluster.consolidationState())) return [];
    if (this.#unseenPools.size > 0) turn.logger.debug(PRIORITIZING, { nodepools: [...this.#unseenPools].join(', ') });
    const walk = this.#startWalk(turn);
    let failed = 0; // decisions that did not hold after their wait
    while (failed < MOST_FAILED) {
      const { found, end } = await this.#walkOn(walk, turn);
      const commands = found.map(({ consolidation }) => toCommand(this, consolidation));
      for (const command of commands) publishFound(command, this.#deps);
      const valid = commands.length === 0 ? [] : await validate(this, commands, turn, this.#deps);
      if (valid.length > 0) {
        return valid.map((one) => ({ ...one, onStart: () => this.#reportStart(found[one.index]!, turn.logger) }));
      }
      if (commands.length > 0) failed++; // the walk goes on, while upstream gives up (spec 04 §25-8)
      if (end === undefined) continue;
      this.#noteEnd(end, walk.hasFailed || failed > 0, turn);
      break;
    }
    return [];
  }

  /** What the walk finds next: as many as a pass may start, if they do not get into each other's way (spec 09 A3). */
  async #walkOn(walk: SingleNodeWalk<MoveScore>, { budgets, slices }: MethodTurn): Promise<Stretch> {
    const most = commandsPerPass(this.#deps.options);
    const nodes = new DisjointNodes();
    const found: Scored<MoveScore>[] = [];
    while (found.length < most) {
      const next = await walk.next(slices.signal);
      if ('kind' in next) return { found, end: next };
      const { consolidation } = next;
      if (!nodes.add(consolidation)) continue;
      if (most === 1 || consolidation.candidates.every((candidate) => budgets.take(candidate))) found.push(next);
    }
    return { found, end: undefined };
  }

  #startWalk(turn: MethodTurn): SingleNodeWalk<MoveScore> {
    const { clock, options } = this.#deps;
    const { view, candidates, budgets, logger } = turn;
    const { findOption, approve } = questionsAbout(view, this.#deps);
    const pass = { findOption, simulator: view.simulators.for('Quiet'), state: view.state };
    const search = {
      // What a candidate was refused for holds as long as the cluster stays the same (spec 09 A3).
      findOption: hasOwnDefaults(options.extensions) ? this.#remembered.remembering(pass) : findOption,
      approve,
      candidates,
      budgets,
      clock,
      deadline: clock.elapsed() + searchLimit('single', options),
      unseenPools: this.#unseenPools,
      canApprove: (candidate: (typeof candidates)[number]) => mayBeApproved(candidate, view.totals),
    };
    return new SingleNodeWalk(search, (look) => {
      this.#ages.note(look.candidate);
      this.#reportLook(look, logger);
    });
  }

  #reportLook(look: Look<MoveScore>, logger: Logger): void {
    const { blocked, events, metrics, options } = this.#deps;
    switch (look.kind) {
      case 'Failed':
        logger.error('failed computing consolidation', look.error);
        return;
      case 'NoOption': {
        const text = renderNoConsolidation(look.option.why);
        const keyedByText = hasOwnDefaults(options.extensions); // spec 09 §0.3-6
        if (text !== undefined) events.publish(...unconsolidatable(look.candidate, text, { keyedByText }));
        blocked.note(this.reason, look.candidate, blockerOfConsolidation(look.option.why));
        return;
      }
      case 'NotApproved': {
        const { consolidation, approval: score } = look.scored;
        reportMove({ consolidation, score, outcome: 'rejected' }, metrics, logger);
        blocked.note(this.reason, look.candidate, undefined);
        return;
      }
      case 'Found':
        blocked.note(this.reason, look.candidate, undefined);
        return; // reported when the command starts
      default:
        look satisfies never;
    }
  }

  #reportStart({ consolidation, approval: score }: Scored<MoveScore>, logger: Logger): void {
    const { events, metrics } = this.#deps;
    reportMove({ consolidation, score, outcome: 'approved' }, metrics, logger);
    for (const { score: ofPool } of score.pools) {
      for (const candidate of consolidation.candidates)
        events.publish(...consolidationApproved(candidate, renderScore(ofPool)));
    }
  }

  #noteEnd(end: WalkEnd, hasFailed: boolean, turn: MethodTurn): void {
    if (end.kind === 'TimedOut') {
      this.#deps.metrics.increment(consolidationTimeouts, { consolidation_type: this.consolidationType });
      turn.logger.debug(TIMED_OUT, { candidates_evaluated: end.looked });
      this.#unseenPools = new Set(end.unseenPools);
      return;
    }
    this.#unseenPools = new Set();
    for (const candidate of turn.candidates) this.#ages.note(candidate); // others were left out on purpose
    // A simulation that failed may succeed the next time (spec 04 §25-40).
    if (!hasFailed) rememberNothingFound(this.#deps, this.name, turn);
  }
}
