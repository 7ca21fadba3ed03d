import type { JsonObject } from '@karpenter-ts/kubernetes';
import { isJsonObject } from '../json-value.ts';
import { type KubeObject, objectAt, textAt } from '../object.ts';
import { type Column, column, NAME, numberAt, wide } from './column.ts';
import { ageOf } from './human-duration.ts';

/** The columns of events, whether read as v1 or as events.k8s.io/v1, which spells some fields differently. */
export const EVENT_COLUMNS: readonly Column[] = [
  column('Last Seen', (event, now) => ageOf(lastSeen(event), now)),
  column('Type', (event) => textAt(event, 'type')),
  column('Reason', (event) => textAt(event, 'reason')),
  column('Object', (event) => {
    const name = textAt(objectOf(event), 'name');
    return `${textAt(objectOf(event), 'kind').toLowerCase()}${name === '' ? '' : `/${name}`}`;
  }),
  wide('Subobject', (event) => textAt(objectOf(event), 'fieldPath')),
  wide('Source', sourceOf),
  column('Message', (event) => (textAt(event, 'message') || textAt(event, 'note')).trim()),
  wide('First Seen', (event, now) => ageOf(firstSeen(event), now)),
  wide('Count', countOf),
  { ...NAME, priority: 1 },
];

function objectOf(event: KubeObject): JsonObject {
  return objectAt(event, event['regarding'] === undefined ? 'involvedObject' : 'regarding');
}

function firstSeen(event: KubeObject): string {
  return textAt(event, 'firstTimestamp') || textAt(event, 'deprecatedFirstTimestamp') || textAt(event, 'eventTime');
}

function lastSeen(event: KubeObject): string {
  if (isJsonObject(event['series'])) return textAt(event, 'series', 'lastObservedTime');
  return textAt(event, 'lastTimestamp') || textAt(event, 'deprecatedLastTimestamp') || firstSeen(event);
}

function sourceOf(event: KubeObject): string {
  const source = objectAt(event, event['deprecatedSource'] === undefined ? 'source' : 'deprecatedSource');
  const component =
    textAt(source, 'component') || textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
  const instance = textAt(source, 'host') || textAt(event, 'reportingInstance');
  return instance === '' ? component : `${component}, ${instance}`;
}

/** An event of the new form that did not repeat has no count. */
function countOf(event: KubeObject): number {
  if (isJsonObject(event['series'])) return numberAt(event, 'series', 'count');
  return numberAt(event, 'count') || numberAt(event, 'deprecatedCount') || 1;
}
