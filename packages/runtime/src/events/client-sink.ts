import type { Client } from '../client/client.ts';
import type { ResourceType } from '../client/resource-type.ts';
import type { EventSink } from './recorder.ts';

const EVENTS: ResourceType = { group: '', version: 'v1', plural: 'events', kind: 'Event', namespaced: true };

/** Records events with the API server. */
export function clientSink(client: Pick<Client, 'create' | 'patch'>): EventSink {
  return {
    create: (event, signal) => client.create(EVENTS, event, {}, signal),
    patch: (event, body, signal) => client.patch(EVENTS, event.metadata, { type: 'strategic', body }, {}, signal),
  };
}
