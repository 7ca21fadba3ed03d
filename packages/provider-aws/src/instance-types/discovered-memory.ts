import { formatQuantity, parseQuantity, type Quantity } from '@karpenter-ts/kubernetes';
import { HOUR, type Logger, type SteadyClock } from '@karpenter-ts/runtime';
import type { StatusAmi } from '../node-class/node-class-parts.ts';

/** How long an observation counts after it was last made (spec 07 §2.1). */
const LIFETIME = 1440 * HOUR;

interface Observation {
  readonly memory: Quantity;
  readonly until: number; // elapsed milliseconds
}

/**
 * The memory that nodes of a type were seen to have, by the images they start from (spec 07 §5.1). The least one counts:
 * nodes of one type differ by a little, and pods must fit on each of them.
 */
export class DiscoveredMemory {
  readonly #clock: SteadyClock;
  readonly #logger: Logger;
  /** In the order of their ends. */
  readonly #observations = new Map<string, Observation>();
  #version = 0;

  constructor({ clock, logger }: { readonly clock: SteadyClock; readonly logger: Logger }) {
    this.#clock = clock;
    this.#logger = logger;
  }

  /** Rises whenever what counts for a type has changed. */
  get version(): number {
    this.#dropExpired();
    return this.#version;
  }

  /** What nodes of the type were seen to have; undefined if none was seen. `images` is an `imageSet`. */
  find(instanceType: string, images: string): string | undefined {
    this.#dropExpired();
    const observation = this.#observations.get(keyOf(instanceType, images));
    return observation && formatQuantity(observation.memory);
  }

  /** A node with one of these images has this memory. Seeing the same again makes the observation count for longer. */
  observe(instanceType: string, images: string, memory: string): void {
    this.#dropExpired();
    const key = keyOf(instanceType, images);
    const known = this.#observations.get(key);
    const seen = parseQuantity(memory);
    if (known !== undefined && seen.nanos > known.memory.nanos) return;
    this.#observations.delete(key); // moves it to the end of the order
    this.#observations.set(key, { memory: seen, until: this.#clock.elapsed() + LIFETIME });
    if (known !== undefined && seen.nanos === known.memory.nanos) return;
    this.#version++;
    this.#logger.debug('updating discovered capacity cache', {
      'memory-capacity': formatQuantity(seen),
      'instance-type': instanceType,
    });
  }

  #dropExpired(): void {
    const now = this.#clock.elapsed();
    for (const [key, { until }] of this.#observations) {
      if (now < until) return;
      this.#observations.delete(key);
      this.#version++;
    }
  }
}

/** Names a set of images: equal for equal sets, whatever their order. */
export function imageSet(amis: readonly Pick<StatusAmi, 'id'>[]): string {
  return [...new Set(amis.map(({ id }) => id))].sort().join(',');
}

function keyOf(instanceType: string, images: string): string {
  return `${instanceType} ${images}`;
}
