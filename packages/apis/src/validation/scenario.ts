import type { Scenario } from '../kinds/core/scenario.ts';
import { error, type Problem } from './problem.ts';

/** What a schema cannot see: steps are about workloads that are there, and that can do what the step says. */
export function validateScenario({ spec }: Pick<Scenario, 'spec'>): readonly Problem[] {
  const kinds = new Map(spec.workloads.map(({ name, kind }) => [name, kind]));
  return spec.steps.flatMap(({ scale, delete: deletion }, index) => {
    const [action, workload] = scale ? ['scale', scale.workload] : ['delete', deletion?.workload];
    if (workload === undefined) return [];
    const field = `spec.steps[${index}].${action}.workload`;
    const kind = kinds.get(workload);
    if (kind === undefined) return [error(field, `there is no workload "${workload}"`)];
    if (scale && UNSCALABLE.has(kind)) return [error(field, `a ${kind} cannot be scaled`)];
    return [];
  });
}

const UNSCALABLE: ReadonlySet<string> = new Set(['DaemonSet', 'Job']);
