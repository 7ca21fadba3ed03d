import { INSTANCE_TYPE_LABEL, type NodeOverlay } from '@karpenter-ts/apis';
import { isTrue, type ResourceType } from '@karpenter-ts/kubernetes';
import { type CancellableClient, type Logger, MINUTE, type SteadyClock, unlessAborted } from '@karpenter-ts/runtime';

/** How long overlays are not listed again (spec 07 §8.4). */
const INTERVAL = 5 * MINUTE;

const NODE_OVERLAYS: ResourceType = {
  group: 'karpenter.sh',
  version: 'v1alpha1',
  plural: 'nodeoverlays',
  kind: 'NodeOverlay',
  namespaced: false,
};

/** Prices of types that AWS names no price of, as NodeOverlays have them. */
export interface OverlayPriceSource {
  /** Rises whenever a price has changed. */
  readonly version: number;
  find(instanceType: string): number | undefined;
}

/** Prices that somebody has to bring up to date. */
export interface RefreshableOverlayPrices extends OverlayPriceSource {
  refresh(signal: AbortSignal): Promise<void>;
}

/** For a process in which NodeOverlays are switched off. */
export const NO_OVERLAY_PRICES: RefreshableOverlayPrices = {
  version: 0,
  find: () => undefined,
  refresh: async () => undefined,
};

export interface OverlayPricesDeps {
  readonly client: Pick<CancellableClient, 'listAll'>;
  readonly clock: SteadyClock;
  readonly logger: Logger;
  /** Aborted when the process stops. */
  readonly stopping: AbortSignal;
}

/**
 * Without a price a type cannot be bought, so an overlay could not price it either: planning applies overlays to offerings
 * that are available. That is why these overlays are looked at here already.
 */
export class OverlayPrices implements RefreshableOverlayPrices {
  readonly #deps: OverlayPricesDeps;
  #prices: ReadonlyMap<string, number> = new Map();
  #version = 0;
  #dueAt = 0; // elapsed milliseconds
  #listing: Promise<void> | undefined;

  constructor(deps: OverlayPricesDeps) {
    this.#deps = deps;
  }

  get version(): number {
    return this.#version;
  }

  find(instanceType: string): number | undefined {
    return this.#prices.get(instanceType);
  }

  /**
   * Lists the overlays, unless that was done in the last five minutes. Whoever comes while they are listed waits for it, and
   * the listing goes on when one of them leaves.
   */
  async refresh(signal: AbortSignal): Promise<void> {
    if (this.#deps.clock.elapsed() < this.#dueAt) return;
    this.#listing ??= this.#list().finally(() => {
      this.#listing = undefined;
    });
    await unlessAborted(this.#listing, signal);
  }

  /** Failing to list leaves no prices, and is tried again the next time. */
  async #list(): Promise<void> {
    const { client, clock, logger, stopping } = this.#deps;
    try {
      const { items } = await client.listAll<NodeOverlay>(NODE_OVERLAYS, {}, stopping);
      this.#replace(overlayPrices(items));
      this.#dueAt = clock.elapsed() + INTERVAL;
    } catch (error) {
      stopping.throwIfAborted();
      logger.error('failed to list NodeOverlays for overlay pricing', error);
      this.#replace(new Map());
    }
  }

  #replace(prices: ReadonlyMap<string, number>): void {
    const isEqual =
      prices.size === this.#prices.size && [...prices].every(([type, price]) => this.#prices.get(type) === price);
    if (isEqual) return;
    this.#prices = prices;
    this.#version++;
  }
}

/**
 * The prices that valid overlays state for types by name, and for nothing else about them. The heaviest overlay counts,
 * then the first by name; upstream takes the one that is listed last (spec 07, weakness 25).
 */
export function overlayPrices(overlays: readonly NodeOverlay[]): ReadonlyMap<string, number> {
  const prices = new Map<string, number>();
  for (const overlay of overlays.toSorted(byWeight)) {
    const { price, requirements } = overlay.spec;
    const [requirement, ...others] = requirements;
    if (price === undefined || requirement === undefined || others.length > 0) continue;
    if (requirement.key !== INSTANCE_TYPE_LABEL || requirement.operator !== 'In') continue;
    const amount = Number(price);
    if (!isTrue(overlay, 'ValidationSucceeded') || price === '' || !Number.isFinite(amount)) continue;
    for (const type of requirement.values ?? []) if (!prices.has(type)) prices.set(type, amount);
  }
  return prices;
}

function byWeight(a: NodeOverlay, b: NodeOverlay): number {
  const [weight, other] = [a.spec.weight ?? 0, b.spec.weight ?? 0];
  if (weight !== other) return other - weight;
  return a.metadata.name < b.metadata.name ? -1 : 1;
}
