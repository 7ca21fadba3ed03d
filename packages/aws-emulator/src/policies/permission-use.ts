import type { Grant } from './evaluate.ts';
import type { PolicyStatement } from './policy-document.ts';

/** What has been used of policies. */
export class PermissionUse {
  readonly #used = new Map<PolicyStatement, Set<string>>();

  add({ statement, action, resource, values }: Grant): void {
    let used = this.#used.get(statement);
    if (used === undefined) this.#used.set(statement, (used = new Set()));
    used.add(actionMark(action)).add(resourceMark(resource));
    statement.conditions.forEach(({ operator, key }, index) => {
      for (const value of values[index]!) used.add(valueMark(operator, key, value));
    });
  }

  /** The actions, resources and values of conditions that nothing has needed yet, each with its statement. */
  unused(statements: readonly PolicyStatement[]): readonly string[] {
    return statements.flatMap((statement) => {
      const used = this.#used.get(statement) ?? new Set();
      const marks = [
        ...statement.actions.patterns.map(actionMark),
        ...statement.resources.patterns.map(resourceMark),
        ...statement.conditions.flatMap(({ operator, key, values }) =>
          values.map((value) => valueMark(operator, key, value)),
        ),
      ];
      return marks.filter((mark) => !used.has(mark)).map((mark) => `${statement.name}: ${mark}`);
    });
  }
}

function actionMark(action: string): string {
  return action;
}

function resourceMark(resource: string): string {
  return `on ${resource}`;
}

function valueMark(operator: string, key: string, value: string): string {
  return `if ${operator} ${key} ${value}`;
}
