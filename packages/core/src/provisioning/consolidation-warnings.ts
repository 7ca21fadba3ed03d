import { ExpiringMap, HOUR, type Logger, nameList, type SteadyClock } from '@karpenter-ts/runtime';
import { objectKey, type Pod } from '@karpenter-ts/kubernetes';
import type { TimeSlices } from '../state/time-slices.ts';

/** A preference that planning treats as required. */
interface Warning {
  readonly message: string;
  readonly concerns: (pod: Pod) => boolean;
}

const WARNINGS: readonly Warning[] = [
  {
    message: 'pod(s) have a preferred Anti-Affinity which can prevent consolidation',
    concerns: ({ spec }) =>
      (spec.affinity?.podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0) > 0,
  },
  {
    message: 'pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation',
    concerns: ({ spec }) =>
      spec.topologySpreadConstraints?.some((one) => one.whenUnsatisfiable === 'ScheduleAnyway') ?? false,
  },
];

const MOST_NAMES = 10;

/**
 * Logs pods whose preferences are treated as required and may prevent consolidation, once a day for each pod (spec 02
 * §6).
 */
export class ConsolidationWarnings {
  readonly #told: ReadonlyMap<Warning, ExpiringMap<string, true>>; // by uid

  constructor(clock: SteadyClock) {
    this.#told = new Map(WARNINGS.map((warning) => [warning, new ExpiringMap(clock, 24 * HOUR)]));
  }

  async report(pods: readonly Pod[], slices: TimeSlices, logger: Logger): Promise<void> {
    for (const [{ message, concerns }, told] of this.#told) {
      const names: string[] = [];
      for (const pod of pods) {
        if (slices.isOver) await slices.pause();
        const { uid = '' } = pod.metadata;
        if (!concerns(pod) || told.has(uid)) continue;
        told.set(uid, true);
        names.push(objectKey(pod.metadata));
      }
      if (names.length > 0) logger.info(message, { pods: nameList(names, MOST_NAMES) });
    }
  }
}
