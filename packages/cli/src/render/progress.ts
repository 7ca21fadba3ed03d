import { styleText } from 'node:util';
import { SECOND } from '@karpenter-ts/runtime';
import { printableLine } from './printable.ts';
import type { Figures, NodeState, PodState } from '../up/figures.ts';

/** Types that are named one by one when there are more than that and one. */
const NAMED_TYPES = 3;

type Style = Parameters<typeof styleText>[0];

const POD_STYLES: Readonly<Record<PodState, Style>> = { running: 'green', pending: 'yellow', terminating: 'dim' };
const NODE_STYLES: Readonly<Record<NodeState, Style>> = {
  ready: 'green',
  starting: 'yellow',
  silent: 'red',
  terminating: 'dim',
};

/** Writes lines of what changed since the last: the time, what it is about, and how it is now. */
export class ProgressLines {
  readonly #write: (line: string) => void;
  readonly #hasColors: boolean;
  readonly #elapsed: () => number;
  readonly #last = new Map<string, string>();

  /** `elapsed`: milliseconds of the cluster's time since its start. */
  constructor(write: (line: string) => void, elapsed: () => number, hasColors: boolean) {
    this.#write = write;
    this.#elapsed = elapsed;
    this.#hasColors = hasColors;
  }

  /** A line on pods and a line on nodes, each only if it says something new. */
  show({ pods, nodes, types, pricePerHour }: Figures): void {
    const nodeStates = this.#states(nodes, NODE_STYLES);
    const price = pricePerHour > 0 ? `, $${pricePerHour.toFixed(4)} an hour` : '';
    this.#line('pods', this.#states(pods, POD_STYLES));
    this.#line('nodes', types.length === 0 ? nodeStates : `${nodeStates}: ${typeList(types)}${price}`);
  }

  /** What somebody did. */
  tell(text: string): void {
    this.#line('step', this.#paint('bold', printableLine(text)));
    this.#last.delete('step'); // the same can be done twice
  }

  #line(subject: string, text: string): void {
    if (this.#last.get(subject) === text) return;
    if (text === NOTHING && !this.#last.has(subject)) return; // there was nothing before, either
    this.#last.set(subject, text);
    const time = `${(this.#elapsed() / SECOND).toFixed(1)}s`.padStart(7);
    this.#write(`${this.#paint('dim', time)}  ${subject.padEnd(5)}  ${text}\n`);
  }

  #states<S extends string>(counts: Readonly<Record<S, number>>, styles: Readonly<Record<S, Style>>): string {
    const states = (Object.keys(styles) as S[]).filter((state) => counts[state] > 0);
    return states.map((state) => this.#paint(styles[state], `${counts[state]} ${state}`)).join(', ') || NOTHING;
  }

  #paint(style: Style, text: string): string {
    return this.#hasColors ? styleText(style, text, { validateStream: false }) : text;
  }
}

const NOTHING = 'none';

function typeList(types: Figures['types']): string {
  const isShort = types.length <= NAMED_TYPES + 1;
  const named = types.slice(0, isShort ? types.length : NAMED_TYPES).map(([type, count]) => `${count} ${type}`);
  const others = types.slice(named.length);
  const count = others.reduce((sum, [, nodes]) => sum + nodes, 0);
  return [...named, ...(isShort ? [] : [`${count} of ${others.length} other types`])].join(', ');
}
