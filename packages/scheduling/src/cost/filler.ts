import type { Effort } from './effort.ts';
import type { HostRule } from './host-rules.ts';
import { foundersOf } from './node-options.ts';
import type { PackingProblem } from './packing-problem.ts';

/** What goes on one node option. */
export interface Load {
  readonly option: number;
  /** Numbers of pod groups, and how many units of each. */
  readonly groups: readonly number[];
  readonly counts: readonly number[];
  /** The sum of the prices. */
  readonly value: number;
}

/** Of a pod group that fits so many times, half goes on at once: enough to be quick, little enough to mix. */
const PORTION = 2;
/** How many rules or candidates are looked at in one step. */
const RULES_PER_STEP = 4;
/**
 * So many pod groups are looked at for each that is picked. With more of them, several are picked at once, up to a point.
 */
const GROUPS_PER_PICK = 64;
const MOST_PICKS = 16;

/**
 * Fills node options. The units that are worth most for their share of the room that is left come first; as the room
 * shrinks, shares of what is scarce grow, so that resources run out together. Hot: one search fills thousands of node
 * options.
 */
export class Filler {
  /** By node option: the last load it was given while all units were left. */
  readonly firstLoads: (Load | undefined)[] = [];
  readonly #problem: PackingProblem;
  readonly #candidates: Int32Array;
  readonly #counts: Int32Array;
  /** By resource: what is left, and one divided by it. */
  readonly #room: Float64Array;
  readonly #inverse: Float64Array;
  /** By host rule: how many units count for it, and how many may. */
  readonly #counted: Float64Array;
  readonly #allowed: Float64Array;
  /** By label: the value that the pod groups on the node option need, or −1. */
  readonly #values: Int32Array;
  /** The best pod groups of one look, best first, and their scores. */
  readonly #picks = new Int32Array(MOST_PICKS);
  readonly #scores = new Float64Array(MOST_PICKS);
  #open = 0;
  /** Rules that bind a pod group which is on the node option: no others limit who only counts for them. */
  readonly #inForce: Int32Array;
  #rulesInForce = 0;
  /** In this fill: how often a pod group was looked at, and how often a rule. */
  #steps = 0;
  #rules = 0;
  readonly #effort: Effort;

  constructor(problem: PackingProblem, effort: Effort) {
    this.#problem = problem;
    this.#effort = effort;
    this.#inForce = new Int32Array(problem.hostRules);
    this.#candidates = new Int32Array(problem.groups.length);
    this.#counts = new Int32Array(problem.groups.length);
    this.#room = new Float64Array(problem.width);
    this.#inverse = new Float64Array(problem.width);
    this.#counted = new Float64Array(problem.hostRules);
    this.#allowed = new Float64Array(problem.hostRules);
    this.#values = new Int32Array(problem.exclusiveLabels);
  }

  /** The most valuable load found for a node option, given how many units of each pod group there are. */
  fill(option: number, prices: Float64Array, left: Int32Array): Load {
    this.#begin(option);
    const nodeOption = this.#problem.options[option]!;
    const groups: number[] = [];
    let value = this.#add(foundersOf(nodeOption), groups, prices, left);
    if (nodeOption.inNeed !== undefined && groups.length > 0)
      value += this.#add(nodeOption.groups, groups, prices, left);
    const counts = groups.map((group) => this.#counts[group]!);
    for (const group of groups) this.#counts[group] = 0;
    this.#effort.spend(this.#steps + this.#rules / RULES_PER_STEP);
    return { option, groups, counts, value };
  }

  /** Adds the most valuable of these, as many as fit; `groups` are those on the node option. Returns their value. */
  #add(from: Int32Array, groups: number[], prices: Float64Array, left: Int32Array): number {
    this.#rules += from.length;
    this.#open = 0;
    for (let i = 0; i < from.length; i++) if (left[from[i]!]! > 0) this.#candidates[this.#open++] = from[i]!;
    let value = 0;
    for (let picks = this.#pick(prices, left); picks > 0; picks = this.#pick(prices, left)) {
      for (let i = 0; i < picks; i++) {
        const group = this.#picks[i]!;
        const count = Math.ceil(this.#fitting(group, left) / PORTION);
        if (count <= 0) continue; // one before it took the room
        if (this.#counts[group] === 0) groups.push(group);
        this.#put(group, count);
        value += count * prices[group]!;
      }
    }
    return value;
  }

  #begin(option: number): void {
    const { width, rooms } = this.#problem;
    for (let r = 0; r < width; r++) {
      this.#room[r] = rooms[option * width + r]!;
      this.#inverse[r] = 1 / this.#room[r]!;
    }
    this.#counted.fill(0);
    this.#allowed.fill(Number.POSITIVE_INFINITY);
    this.#values.fill(-1);
    this.#rulesInForce = 0;
    this.#steps = 0;
    this.#rules = this.#counted.length / 8;
  }

  /**
   * Picks the pod groups that are worth most for their share, and says how many it picked. Those that no longer fit are
   * dropped: they never will again.
   */
  #pick(prices: Float64Array, left: Int32Array): number {
    const { width, requests, isUnrestricted } = this.#problem;
    const candidates = this.#candidates;
    const counts = this.#counts;
    const room = this.#room;
    const inverse = this.#inverse;
    const considered = this.#open;
    const most = Math.min(MOST_PICKS, Math.ceil(considered / GROUPS_PER_PICK));
    let open = 0;
    let picks = 0;
    for (let i = 0; i < considered; i++) {
      const group = candidates[i]!;
      if (counts[group]! >= left[group]! || (isUnrestricted[group] === 0 && !this.#isAllowed(group))) continue;
      let share = 0; // squared: the length of the vector of its parts
      for (let r = 0, at = group * width; r < width; r++, at++) {
        const amount = requests[at]!;
        if (amount === 0) continue;
        if (amount > room[r]!) {
          share = -1;
          break;
        }
        const part = amount * inverse[r]!;
        share += part * part;
      }
      if (share < 0) continue;
      candidates[open++] = group;
      const score = (prices[group]! * prices[group]!) / share;
      if (picks < most || score > this.#scores[most - 1]!) picks = this.#insert(group, score, picks, most);
    }
    this.#open = open;
    this.#steps += considered;
    return picks;
  }

  /** Puts a pod group in its place among the picks; of equal ones the earlier stays in front. Returns how many there are. */
  #insert(group: number, score: number, picks: number, most: number): number {
    let at = Math.min(picks, most - 1);
    for (; at > 0 && this.#scores[at - 1]! < score; at--) {
      this.#scores[at] = this.#scores[at - 1]!;
      this.#picks[at] = this.#picks[at - 1]!;
    }
    this.#scores[at] = score;
    this.#picks[at] = group;
    return Math.min(picks + 1, most);
  }

  /**
   * Whether the host rules let one more unit on. Of a pod group that counts for a thousand rules those are looked at that
   * it minds itself, and those that are in force.
   */
  #isAllowed(group: number): boolean {
    if (!this.#agrees(group)) return false;
    const { groups, limiting } = this.#problem;
    const { hostRules } = groups[group]!;
    const own = limiting[group]!;
    if (hostRules.length <= own.length + this.#rulesInForce) return this.#allow(hostRules);
    if (!this.#allow(own)) return false;
    for (let i = 0; i < this.#rulesInForce; i++) {
      const id = this.#inForce[i]!;
      this.#rules += 2;
      if (this.#counted[id]! + countsFor(hostRules, id) > this.#allowed[id]!) return false;
    }
    return true;
  }

  /** Whether it needs no other value of a label than those that are on the node option. */
  #agrees(group: number): boolean {
    const needs = this.#problem.exclusive[group]!;
    for (let i = 0; i < needs.length; i++) {
      const { label, value } = needs[i]!;
      this.#rules++;
      if (this.#values[label] !== -1 && this.#values[label] !== value) return false;
    }
    return true;
  }

  #allow(rules: readonly HostRule[]): boolean {
    for (let i = 0; i < rules.length; i++) {
      const { id, most, counts } = rules[i]!;
      this.#rules++;
      if (this.#counted[id]! + counts > Math.min(most, this.#allowed[id]!)) return false;
    }
    return true;
  }

  /** How many units of a pod group can go on. */
  #fitting(group: number, left: Int32Array): number {
    const { width, requests, groups } = this.#problem;
    if (!this.#agrees(group)) return 0;
    let most = left[group]! - this.#counts[group]!;
    for (let r = 0, at = group * width; r < width; r++, at++) {
      if (requests[at]! > 0) most = Math.min(most, Math.floor(this.#room[r]! / requests[at]!));
    }
    this.#rules += groups[group]!.hostRules.length;
    for (const { id, most: own, counts } of groups[group]!.hostRules) {
      if (counts > 0)
        most = Math.min(most, Math.floor((Math.min(own, this.#allowed[id]!) - this.#counted[id]!) / counts));
    }
    return most;
  }

  #put(group: number, count: number): void {
    const { width, requests, groups, limiting } = this.#problem;
    this.#counts[group]! += count;
    for (const { label, value } of this.#problem.exclusive[group]!) this.#values[label] = value;
    for (let r = 0, at = group * width; r < width; r++, at++) {
      this.#room[r]! -= count * requests[at]!;
      this.#inverse[r] = 1 / this.#room[r]!;
    }
    this.#rules += groups[group]!.hostRules.length;
    for (const { id, counts } of groups[group]!.hostRules) this.#counted[id]! += count * counts;
    for (const { id, most } of limiting[group]!) {
      if (this.#allowed[id] === Number.POSITIVE_INFINITY) this.#inForce[this.#rulesInForce++] = id;
      this.#allowed[id] = Math.min(this.#allowed[id]!, most);
    }
  }
}

/** How much a pod group with these rules, ascending, counts for one of them: a binary search. */
function countsFor(rules: readonly HostRule[], id: number): number {
  let low = 0;
  let high = rules.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rules[middle]!.id < id) low = middle + 1;
    else high = middle;
  }
  const rule = rules[low];
  return rule?.id === id ? rule.counts : 0;
}
