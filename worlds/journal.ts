import { createHash } from 'node:crypto';
import { type Clock, type Instant, MINUTE, SECOND } from '@karpenter-ts/runtime';

/** What happened in a world, with the times of that world. Equal runs have equal journals. */
export class Journal {
  readonly #clock: Clock;
  readonly #start: Instant;
  readonly #lines: string[] = [];
  readonly #hash = createHash('sha256');

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#start = clock.now();
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Stands for all that was told or noted: equal if and only if the runs were. */
  get digest(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  /** For people to read. */
  tell(text: string): void {
    const line = `${this.#time()} ${text}`;
    this.#lines.push(line);
    this.#hash.update(`${line}\n`);
  }

  /** What no one reads, but is part of what makes a run what it is. */
  note(text: string): void {
    this.#hash.update(`${this.#clock.now()} ${text}\n`);
  }

  /** `+07:30.250`: minutes, seconds and milliseconds since the start. */
  #time(): string {
    const passed = this.#clock.now() - this.#start;
    const pad = (value: number, width: number): string => String(Math.floor(value)).padStart(width, '0');
    return `+${pad(passed / MINUTE, 2)}:${pad((passed % MINUTE) / SECOND, 2)}.${pad(passed % SECOND, 3)}`;
  }
}
