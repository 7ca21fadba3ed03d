import { evaluate, type PolicyStatement, type Verdict } from '@karpenter-ts/aws-emulator/policies';
import { capabilitiesAt, type Need } from './capabilities.ts';
import { findPlace } from './policy-place.ts';

/** Something that the controller does in AWS, and what it may not do of it. */
export interface CheckedCapability {
  readonly name: string;
  readonly alwaysOn: boolean;
  /** What makes the controller do it, if it does not always. */
  readonly when?: string;
  readonly covered: boolean;
  readonly lacks: readonly Lack[];
}

/** An action that is needed and not allowed. */
export interface Lack {
  readonly action: string;
  readonly resources: readonly string[];
  /** Why not, in words for the user. */
  readonly why: string;
  /** The statement of ours that allows it. */
  readonly remedy: { readonly file: string; readonly statement: string };
}

export interface CheckedPolicies {
  /** What the policies are for. */
  readonly clusterName: string;
  readonly region: string;
  readonly capabilities: readonly CheckedCapability[];
}

/** What policies, taken together as those of one role, lack for each thing that the controller does. */
export function checkPolicies(statements: readonly PolicyStatement[], clusterName?: string): CheckedPolicies {
  const place = findPlace(statements, clusterName);
  const capabilities = capabilitiesAt(place).map(({ name, when, needs }): CheckedCapability => {
    const lacks = lacksOf(needs, statements);
    const alwaysOn = when === undefined;
    return { name, alwaysOn, ...(when !== undefined && { when }), covered: lacks.length === 0, lacks };
  });
  return { clusterName: place.clusterName, region: place.region, capabilities };
}

/** One for each action and reason: a launch is on many resources. */
function lacksOf(needs: readonly Need[], statements: readonly PolicyStatement[]): readonly Lack[] {
  const lacks = new Map<string, Lack & { readonly resources: string[] }>();
  for (const { request, file, statement } of needs) {
    const verdict = evaluate(statements, request);
    if (verdict.kind === 'allowed') continue;
    const why = reasonOf(verdict);
    const key = `${request.action} ${why} ${statement}`;
    const known = lacks.get(key);
    if (known === undefined) {
      lacks.set(key, { action: request.action, resources: [request.resource], why, remedy: { file, statement } });
    } else if (!known.resources.includes(request.resource)) known.resources.push(request.resource);
  }
  return [...lacks.values()];
}

function reasonOf(verdict: Exclude<Verdict, { kind: 'allowed' }>): string {
  if (verdict.kind === 'denied-explicitly') return `${verdict.by.name} denies it`;
  const [nearest] = [...verdict.near].sort((a, b) => distance(a) - distance(b));
  if (nearest === undefined) return 'no statement allows it';
  const { statement, isResourceOther, unmet } = nearest;
  const conditions = unmet.map(({ operator, key, values }) => `${operator} ${key}: ${values.join(' or ')}`);
  const limits = [...(isResourceOther ? ['on other resources'] : []), ...conditions];
  return `${statement.name} allows it only ${limits.join(', and only if ').replace(/^(?!on other)/, 'if ')}`;
}

function distance({
  isResourceOther,
  unmet,
}: {
  readonly isResourceOther: boolean;
  readonly unmet: readonly unknown[];
}) {
  return unmet.length + (isResourceOther ? 1 : 0);
}
