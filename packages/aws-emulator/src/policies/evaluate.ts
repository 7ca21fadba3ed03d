import { ContextValues, holds, type RequestContext, valuesMet } from './conditions.ts';
import { matchesAction, matchesText } from './patterns.ts';
import type { Condition, Patterns, PolicyStatement } from './policy-document.ts';

/** One thing that a caller wants to do: a call of AWS may need several. */
export interface PermissionRequest {
  /** As `ec2:RunInstances`. */
  readonly action: string;
  /** Its ARN, or `*` for an action that is on none. */
  readonly resource: string;
  readonly context: RequestContext;
}

/** The part of a policy that decided. */
export interface Grant {
  readonly statement: PolicyStatement;
  readonly action: string;
  readonly resource: string;
  /** Of each of its conditions, the values that the request has. */
  readonly values: readonly (readonly string[])[];
}

export type Verdict =
  | { readonly kind: 'allowed'; readonly by: readonly Grant[] }
  | { readonly kind: 'denied-explicitly'; readonly by: PolicyStatement }
  /** `near` allow the action, but not on this resource or not under these conditions. */
  | { readonly kind: 'not-allowed'; readonly near: readonly NearMiss[] };

export interface NearMiss {
  readonly statement: PolicyStatement;
  readonly isResourceOther: boolean;
  readonly unmet: readonly Condition[];
}

/** What the statements of all policies of an identity say to a request, as IAM decides it. */
export function evaluate(statements: readonly PolicyStatement[], request: PermissionRequest): Verdict {
  const context = new ContextValues(request.context);
  const by: Grant[] = [];
  const near: NearMiss[] = [];
  for (const statement of statements) {
    const action = findPattern(statement.actions, (pattern) => matchesAction(request.action, pattern));
    if (action === undefined) continue;
    // In resources, wildcards do reach over colons.
    const resource = findPattern(statement.resources, (pattern) => matchesText(request.resource, pattern));
    const unmet = statement.conditions.filter((condition) => !holds(condition, context));
    const applies = resource !== undefined && unmet.length === 0;
    if (applies && statement.effect === 'Deny') return { kind: 'denied-explicitly', by: statement };
    if (applies) {
      const values = statement.conditions.map((condition) => valuesMet(condition, context));
      by.push({ statement, action, resource, values });
    }
    if (!applies && statement.effect === 'Allow')
      near.push({ statement, isResourceOther: resource === undefined, unmet });
  }
  return by.length > 0 ? { kind: 'allowed', by } : { kind: 'not-allowed', near };
}

/** The pattern that makes the statement apply; for an excluding one, a text for what it does not exclude. */
function findPattern({ patterns, isExcluding }: Patterns, matches: (pattern: string) => boolean): string | undefined {
  const found = patterns.find(matches);
  if (!isExcluding) return found;
  return found === undefined ? `not ${patterns.join(', ')}` : undefined;
}
