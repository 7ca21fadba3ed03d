import { type Json, type JsonObject, qualifiedNameProblems } from '@karpenter-ts/kubernetes';
import { HOUR } from '@karpenter-ts/runtime';
import { invalidValue, type Problem, required } from '../../field-errors.ts';
import { isJsonObject, isSameJson } from '../../json-value.ts';
import { type KubeObject, objectAt, scalarText, textAt } from '../../object.ts';
import type { Conversion } from '../../strategy.ts';
import { pathSegmentProblems } from '../metadata.ts';
import type { KindRules } from './kind-rules.ts';

const OBJECT_FIELDS = ['kind', 'namespace', 'name', 'uid', 'apiVersion', 'resourceVersion', 'fieldPath'];

const traits = { createsOnUpdate: true, dependents: 'ignored', keepFor: 1 * HOUR } as const;

/** Events of the core group, which expire and are hardly validated. */
export const CORE_EVENT: KindRules = {
  traits,
  nameProblems: pathSegmentProblems,
  plainFinalizers: true,
  selectable: [...OBJECT_FIELDS.map((field) => `involvedObject.${field}`), 'reason', 'reportingComponent', 'type'],
  validate: (event) => eventProblems(event, 'reportingComponent'),
};

/** The same events under events.k8s.io, which validates more. Error messages use the old field names. */
export const EVENT: KindRules = {
  traits,
  selectable: [...OBJECT_FIELDS.map((field) => `regarding.${field}`), 'reason', 'reportingController', 'type'],
  storedPath: (path) =>
    path.replace(/^regarding/, 'involvedObject').replace('reportingController', 'reportingComponent'),
  validate: (event) => eventProblems(EVENT_CONVERSION.toStorage(event), 'reportingController'),
  validateCreate: (event) => newEventProblems(EVENT_CONVERSION.toStorage(event)),
  validateUpdate: (event, old) => changeProblems(EVENT_CONVERSION.toStorage(event), EVENT_CONVERSION.toStorage(old)),
};

const hasTime = (event: KubeObject): boolean => textAt(event, 'eventTime') !== '';

function eventProblems(event: KubeObject, controllerField: string): readonly Problem[] {
  return [...namespaceProblems(event), ...(hasTime(event) ? reporterProblems(event, controllerField) : [])];
}

/** Events are about objects of their own namespace; those without one have theirs in `default`. */
function namespaceProblems(event: KubeObject): readonly Problem[] {
  const about = textAt(event, 'involvedObject', 'namespace');
  const own = event.metadata.namespace;
  const isRight =
    about === '' ? own === 'default' || (hasTime(event) && own === 'kube-system') : hasTime(event) || about === own;
  return isRight ? [] : [invalidValue(['involvedObject', 'namespace'], about, 'does not match event.namespace')];
}

/** Limits of texts, in bytes. Who reports, what was done and why must be said; `message` need not. */
const LIMITS = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

function reporterProblems(event: KubeObject, controllerField: string): readonly Problem[] {
  const controller = textAt(event, 'reportingComponent');
  const texts = Object.entries(LIMITS).flatMap(([field, limit]) => {
    const bytes = Buffer.byteLength(textAt(event, field));
    if (bytes === 0 && field !== 'message') return [required([field])];
    return bytes > limit ? [invalidValue([field], '', `can have at most ${limit} characters`)] : [];
  });
  return [
    ...(controller === '' ? [required([controllerField])] : []),
    ...qualifiedNameProblems(controller).map((problem) => invalidValue([controllerField], controller, problem)),
    ...texts,
  ];
}

function newEventProblems(event: KubeObject): readonly Problem[] {
  const { type } = event;
  const { component, host } = objectAt(event, 'source');
  const outdated = [
    ...['firstTimestamp', 'lastTimestamp', 'count'].filter((field) => Boolean(event[field])),
    ...(component || host ? ['source'] : []),
  ];
  return [
    ...seriesProblems(event),
    ...(hasTime(event) ? [] : [required(['eventTime'])]),
    ...(type === 'Normal' || type === 'Warning'
      ? []
      : [invalidValue(['type'], '', `has invalid value: ${scalarText(type)}`)]),
    ...outdated.map((field) => invalidValue([field], '', 'needs to be unset')),
  ];
}

function seriesProblems({ series }: KubeObject): readonly Problem[] {
  if (!isJsonObject(series)) return [];
  const { count = 0, lastObservedTime } = series;
  return [
    ...((count as number) < 2 ? [invalidValue(['series.count'], '', 'should be at least 2')] : []),
    ...(lastObservedTime ? [] : [required(['series.lastObservedTime'])]),
  ];
}

/** Fields of an event that never change; an update only records that it occurred again. */
const FIXED_FIELDS = [
  'involvedObject',
  'reason',
  'message',
  'source',
  'firstTimestamp',
  'lastTimestamp',
  'count',
  'type',
  'eventTime',
  'action',
  'related',
  'reportingComponent',
  'reportingInstance',
];

function changeProblems(event: KubeObject, old: KubeObject): readonly Problem[] {
  const changed = FIXED_FIELDS.filter((field) => !isSameJson(event[field] || null, old[field] || null));
  return [
    ...(isSameJson(event['series'], old['series']) ? [] : seriesProblems(event)),
    ...changed.map((field) =>
      invalidValue([field.replace('Component', 'Controller')], event[field] ?? null, 'field is immutable'),
    ),
  ];
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
