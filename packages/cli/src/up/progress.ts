import type { NodeClaim } from '@karpenter-ts/apis';
import { type ApiObject, NODES, PODS, type ResourceType } from '@karpenter-ts/kubernetes';
import {
  type Client,
  Informer,
  keepFields,
  type Logger,
  SECOND,
  type Selection,
  type SteadyClock,
} from '@karpenter-ts/runtime';
import { NODE_CLAIMS } from '@karpenter-ts/apis';
import type { Cloud } from './cloud.ts';
import { countFigures, type Figures, type SeenNode, type SeenPod } from './figures.ts';

/** No more often than a person can read. */
const INTERVAL = 1 * SECOND;
/** A first look waits for what comes along with the first change. */
const SETTLE = 0.1 * SECOND;

const METADATA = { name: true, namespace: true, uid: true, resourceVersion: true, deletionTimestamp: true } as const;

export interface ProgressDeps {
  readonly client: Client;
  /** That of the cluster. */
  readonly clock: SteadyClock;
  /** That of the person who reads. */
  readonly wallClock: SteadyClock;
  readonly logger: Logger;
  /** What a node with these labels costs an hour. */
  readonly priceOf: Cloud['priceOf'];
  /** Called with new figures after changes, at most once a second; also when they happen to be the same. */
  show(figures: Figures): void;
}

/** Watches pods and nodes until aborted. */
export async function watchProgress(deps: ProgressDeps, signal: AbortSignal): Promise<void> {
  const { client, clock, wallClock, logger, priceOf, show } = deps;
  const cacheOf = <T extends ApiObject>(type: ResourceType, selection: Selection): Informer<T> =>
    new Informer<T>({ client, clock, logger, type, transform: keepFields<T>(selection) });
  const pods = cacheOf<SeenPod>(PODS, { metadata: METADATA, status: { phase: true } });
  const nodes = cacheOf<SeenNode>(NODES, {
    metadata: { ...METADATA, labels: true },
    spec: { providerID: true },
    status: { conditions: true },
  });
  const claims = cacheOf<NodeClaim>(NODE_CLAIMS, { metadata: METADATA, status: { providerID: true } });

  let isDue = false;
  let lastShown = Number.NEGATIVE_INFINITY;
  const showNow = (): void => {
    isDue = false;
    lastShown = wallClock.elapsed();
    show(countFigures({ pods: pods.list(), nodes: nodes.list(), nodeClaims: claims.list() }, priceOf));
  };
  const onChange = (): void => {
    if (isDue) return;
    isDue = true;
    const delay = Math.max(SETTLE, lastShown + INTERVAL - wallClock.elapsed());
    wallClock.sleep(delay, signal).then(showNow, () => undefined);
  };
  for (const cache of [pods, nodes, claims]) {
    cache.addHandler({ onAdd: onChange, onUpdate: onChange, onDelete: onChange });
  }
  await Promise.all([pods, nodes, claims].map((cache) => cache.start(signal)));
}
