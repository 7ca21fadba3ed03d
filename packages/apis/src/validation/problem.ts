/**
 * One thing wrong with an admitted object. `error`: the object cannot work and must not be used; `message` is upstream's
 * text where upstream finds it too. `warning`: it works, but hardly as meant.
 */
export interface Problem {
  /** Where, as a JSON path: `spec.template.spec.requirements[2].key`. */
  readonly field: string;
  readonly message: string;
  readonly severity: 'error' | 'warning';
}

/** A problem that keeps the object from being used. */
export function error(field: string, message: string): Problem {
  return { field, message, severity: 'error' };
}

/** A problem the object can be used in spite of. */
export function warning(field: string, message: string): Problem {
  return { field, message, severity: 'warning' };
}

/** The message of a failed ValidationSucceeded condition; `undefined` when warnings are all there is. */
export function findConditionMessage(problems: readonly Problem[]): string | undefined {
  const errors = problems.filter((problem) => problem.severity === 'error');
  return errors.length === 0 ? undefined : errors.map((problem) => problem.message).join('; ');
}
