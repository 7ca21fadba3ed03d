import type { NodeClaim } from '@karpenter-ts/apis';
import { isTrue, nanosToMilliseconds, parseDuration, READY } from '@karpenter-ts/kubernetes';
import type { Instant } from '@karpenter-ts/runtime';
import type { Moment } from '../observer/moment.ts';
import { hasBeenTrue, type ObservedClaim, type ObservedCluster } from '../observer/observed-cluster.ts';
import type { PriceOf } from '../observer/price-list.ts';
import type { StartedCommand } from '../observer/started-command.ts';
import type { Violation } from './violation.ts';

interface RunningCommand extends StartedCommand {
  readonly startedAt: Instant;
}

/** Whether the cloud takes the instance of the NodeClaim back, or has found it broken. */
export type IsEnding = (nodeClaim: NodeClaim) => boolean;

/**
 * The commands of one operator, and what becomes of them. A replacement looks like any other NodeClaim, so that it is
 * only known how many of those created since the start are replacements.
 */
export class Replacements {
  readonly #cluster: ObservedCluster;
  readonly #priceOf: PriceOf;
  readonly #isEnding: IsEnding;
  readonly #commands = new Map<string, RunningCommand>(); // by the names of the candidates' NodeClaims

  constructor(cluster: ObservedCluster, priceOf: PriceOf, isEnding: IsEnding) {
    this.#cluster = cluster;
    this.#priceOf = priceOf;
    this.#isEnding = isEnding;
  }

  started(command: StartedCommand, startedAt: Instant): void {
    for (const { nodeClaim } of command.candidates) this.#commands.set(nodeClaim, { ...command, startedAt });
  }

  /** Judges the operator's request to delete a NodeClaim, before it is carried out. */
  deleting(name: string, moment: Moment): readonly Violation[] {
    const command = this.#commands.get(name);
    const candidate = this.#cluster.findClaim(name);
    if (command === undefined || command.replacementCount === 0 || candidate === undefined) return [];
    if (!isOfCommand(candidate) || this.#hasOtherCause(candidate.nodeClaim, moment)) return [];
    const ready = this.#cluster
      .claimsSince(command.startedAt)
      .filter((claim) => hasBeenTrue(claim, 'Initialized', command.startedAt))
      .map(({ nodeClaim }) => nodeClaim);
    const missing = command.replacementCount - ready.length;
    if (missing > 0) {
      const detail = `${name} is deleted while ${missing} of its replacements are not initialised`;
      return [{ invariant: 'replacement', detail }];
    }
    return command.reason === 'Drifted' ? [] : this.#findDearer(command, ready);
  }

  /** Of the NodeClaims that may be the replacements, the cheapest are taken for them. */
  #findDearer(command: StartedCommand, ready: readonly NodeClaim[]): readonly Violation[] {
    const before = command.candidates.map(({ nodeClaim }) => {
      const claim = this.#cluster.findClaim(nodeClaim)?.nodeClaim;
      return (claim && this.#priceOf(claim)?.most) ?? Infinity;
    });
    const after = ready.map((claim) => this.#priceOf(claim)?.least ?? 0).sort((a, b) => a - b);
    const [old, replaced] = [sumOf(before), sumOf(after.slice(0, command.replacementCount))];
    if (replaced < old) return [];
    const names = command.candidates.map(({ node }) => node).join(', ');
    return [{ invariant: 'price', detail: `${names} cost $${old} an hour, and the replacements $${replaced}` }];
  }

  /** Whether another controller may delete it: it has expired, its instance ends, or its Node is gone, broken or being deleted. */
  #hasOtherCause(nodeClaim: NodeClaim, { walls }: Moment): boolean {
    if (this.#isEnding(nodeClaim)) return true;
    const { metadata, spec, status } = nodeClaim;
    const node = this.#cluster.findNode(status?.nodeName ?? '')?.node;
    if (node === undefined || !isTrue(node, READY) || node.metadata.deletionTimestamp !== undefined) return true;
    if (spec.expireAfter === 'Never') return false;
    const end = Date.parse(metadata.creationTimestamp ?? '') + nanosToMilliseconds(parseDuration(spec.expireAfter));
    return walls.some((wall) => wall >= end);
  }
}

/** Whether a command has marked the NodeClaim, and nothing has deleted it before. */
function isOfCommand({ nodeClaim, isGone }: ObservedClaim): boolean {
  return !isGone && nodeClaim.metadata.deletionTimestamp === undefined && isTrue(nodeClaim, 'DisruptionReason');
}

function sumOf(prices: readonly number[]): number {
  return prices.reduce((total, price) => total + price, 0);
}
