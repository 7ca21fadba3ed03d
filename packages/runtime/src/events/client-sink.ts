import type { Client } from '../client/client.ts';
import type { EventSink } from './recorder.ts';
import { EVENTS } from '@karpenter-ts/kubernetes';

/** Records events with the API server. */
export function clientSink(client: Pick<Client, 'create' | 'patch'>): EventSink {
  return {
    create: (event, signal) => client.create(EVENTS, event, {}, signal),
    patch: (event, body, signal) => client.patch(EVENTS, event.metadata, { type: 'strategic', body }, {}, signal),
  };
}
