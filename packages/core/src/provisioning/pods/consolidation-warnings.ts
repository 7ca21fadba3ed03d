import { HOUR, type Logger, nameList, objectKey, type SteadyClock } from '@karpenter-ts/runtime';
import { ExpiringMap } from '../../expiring-map.ts';
import type { Pod } from '../../kinds/pod.ts';

const ANTI_AFFINITY = 'pod(s) have a preferred Anti-Affinity which can prevent consolidation';
const SPREAD = 'pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation';

const MOST_NAMES = 10;

/** Tells users, once a day for each pod, of preferences that planning takes for rules (spec 02 §6). */
export class ConsolidationWarnings {
  readonly #told: ExpiringMap<string, true>; // by text and uid

  constructor(clock: SteadyClock) {
    this.#told = new ExpiringMap(clock, 24 * HOUR);
  }

  report(pods: readonly Pod[], logger: Logger): void {
    this.#tell(ANTI_AFFINITY, pods.filter(wouldRatherBeAlone), logger);
    this.#tell(SPREAD, pods.filter(wouldRatherSpread), logger);
  }

  #tell(message: string, concerned: readonly Pod[], logger: Logger): void {
    const fresh = concerned.filter(({ metadata }) => !this.#told.has(`${message} ${metadata.uid}`));
    if (fresh.length === 0) return;
    for (const { metadata } of fresh) this.#told.set(`${message} ${metadata.uid}`, true);
    const names = fresh.map(({ metadata }) => objectKey(metadata));
    logger.info(message, { pods: nameList(names, MOST_NAMES) });
  }
}

function wouldRatherBeAlone({ spec }: Pod): boolean {
  return (spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0;
}

function wouldRatherSpread({ spec }: Pod): boolean {
  return spec.topologySpreadConstraints?.some((one) => one.whenUnsatisfiable === 'ScheduleAnyway') ?? false;
}
