import type { Json, JsonObject } from '@karpenter-ts/apis';
import { HOUR } from '@karpenter-ts/runtime';
import { invalidValue, type Problem, required } from '../../field-errors.ts';
import { type KubeObject, scalarText, textAt } from '../../object.ts';
import type { Conversion } from '../../strategy.ts';
import type { KindRules } from './kind-rules.ts';

const OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const traits = { createsOnUpdate: true, dependents: 'ignored', keepFor: 1 * HOUR } as const;

/** Events of the core group. They vanish by themselves. */
export const CORE_EVENT: KindRules = {
  traits,
  selectable: [...OBJECT_FIELDS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'type'],
  validate: (event) => namespaceProblems(event, 'involvedObject'),
};

/** The same events under the names of events.k8s.io. */
export const EVENT: KindRules = {
  traits,
  selectable: [...OBJECT_FIELDS.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  storedPath: (path) =>
    path.replace(/^regarding/, 'involvedObject').replace('reportingController', 'reportingComponent'),
  validate: (event) => [...namespaceProblems(event, 'regarding'), ...strictProblems(event)],
};

/** Events are about objects of their own namespace; those without one have theirs in `default`. */
function namespaceProblems(event: KubeObject, reference: 'involvedObject' | 'regarding'): readonly Problem[] {
  const about = textAt(event, reference, 'namespace');
  const own = event.metadata.namespace;
  const isRight =
    about === '' ? own === 'default' || (hasTime(event) && own === 'kube-system') : hasTime(event) || about === own;
  return isRight ? [] : [invalidValue(['involvedObject', 'namespace'], about, 'does not match event.namespace')];
}

const hasTime = (event: KubeObject): boolean => textAt(event, 'eventTime') !== '';

function strictProblems(event: KubeObject): readonly Problem[] {
  const needed = hasTime(event) ? ['reportingController', 'reportingInstance', 'action', 'reason'] : ['eventTime'];
  const problems = needed.filter((field) => !event[field]).map((field) => required([field]));
  const { type } = event;
  if (type === 'Normal' || type === 'Warning') return problems;
  return [...problems, invalidValue(['type'], '', `has invalid value: ${scalarText(type)}`)];
}

/** New names and old ones. */
const NAMES: readonly (readonly [string, string])[] = [
  ['regarding', 'involvedObject'],
  ['note', 'message'],
  ['reportingController', 'reportingComponent'],
  ['deprecatedSource', 'source'],
  ['deprecatedFirstTimestamp', 'firstTimestamp'],
  ['deprecatedLastTimestamp', 'lastTimestamp'],
  ['deprecatedCount', 'count'],
];

/** Events are stored as the core group has them. */
export const EVENT_CONVERSION: Conversion & { readonly storage: string } = {
  storage: '/events',
  fromStorage: (event) =>
    renamed(
      event,
      'events.k8s.io/v1',
      NAMES.map(([shown, stored]) => [stored, shown]),
    ),
  toStorage: (event) => renamed(event, 'v1', NAMES),
};

function renamed(event: KubeObject, apiVersion: string, names: readonly (readonly [string, string])[]): KubeObject {
  const to = new Map(names);
  const entries = Object.entries(event as JsonObject).map(([name, value]): [string, Json | undefined] => [
    to.get(name) ?? name,
    value,
  ]);
  return { ...(Object.fromEntries(entries) as KubeObject), apiVersion };
}
