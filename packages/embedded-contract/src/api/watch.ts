import assert from 'node:assert/strict';
import { apiCase, eventOf, MERGE, valueAt } from './raw-api.ts';

const version = (body: unknown): string => (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;

/** Watching objects. */
export const watchCases = [
  apiCase('a watch from a version tells of every later write, in order', async (api) => {
    const { body } = await api.configMap('start');
    await api.configMap('a');
    const events = await api.watch(
      `${api.path('configmaps')}?watch=true&resourceVersion=${version(body)}`,
      4,
      async () => {
        await api.patch(api.path('configmaps', 'a'), { data: { x: 'y' } });
        await api.configMap('b');
        await api.delete(api.path('configmaps', 'a'));
      },
    );
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
  }),

  apiCase('an event carries the object as it was stored', async (api) => {
    const { body } = await api.configMap('start');
    const created = await api.configMap('a', {}, { x: 'y' });
    const [event] = await api.watch(`${api.path('configmaps')}?watch=true&resourceVersion=${version(body)}`, 1);
    assert.deepEqual(event?.object, created.body);
  }),

  apiCase('the event of a deletion carries the last state under a newer version', async (api) => {
    const { body } = await api.configMap('a', {}, { x: 'y' });
    const path = `${api.path('configmaps')}?watch=true&resourceVersion=${version(body)}`;
    const [event] = await api.watch(path, 1, () => api.delete(api.path('configmaps', 'a')));
    assert.equal(event?.type, 'DELETED');
    assert.deepEqual(event.object['data'], { x: 'y' });
    assert.ok(Number(version(event.object)) > Number(version(body)));
  }),

  apiCase('a watch from nowhere begins with what is there', async (api) => {
    await api.pod('a');
    await api.pod('b');
    const events = await api.watch(`${api.path('pods')}?watch=true`, 3, () => api.pod('c'));
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'ADDED b', 'ADDED c']);
  }),

  apiCase('a streamed list ends with a bookmark that says so', async (api) => {
    await api.pod('a');
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const [added, bookmark] = await api.watch(`${api.path('pods')}?${query}`, 2);
    assert.equal(eventOf(added!), 'ADDED a');
    assert.equal(bookmark?.type, 'BOOKMARK');
    assert.deepEqual(valueAt(bookmark.object, 'metadata.annotations'), { 'k8s.io/initial-events-end': 'true' });
    assert.ok(Number(version(bookmark.object)) >= Number(version(added!.object)));
    assert.equal(bookmark.object['kind'], 'Pod');
  }),

  apiCase('a write that changes nothing is no event', async (api) => {
    const { body } = await api.configMap('a', {}, { x: 'y' });
    const path = `${api.path('configmaps')}?watch=true&resourceVersion=${version(body)}`;
    const events = await api.watch(path, 1, async () => {
      const same = await api.patch(api.path('configmaps', 'a'), { data: { x: 'y' } });
      assert.equal(version(same.body), version(body));
      await api.configMap('b');
    });
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('an object that comes to match is added, and one that ceases to is deleted', async (api) => {
    const { body } = await api.configMap('a', {}, { x: 'y' });
    const path = `${api.path('configmaps')}?watch=true&labelSelector=on&resourceVersion=${version(body)}`;
    const relabel = (labels: unknown, data = {}) =>
      api.patch(api.path('configmaps', 'a'), { metadata: { labels }, data }, MERGE);
    const events = await api.watch(path, 3, async () => {
      await relabel({ on: '1' });
      await relabel({ on: '2' });
      await relabel(null, { x: 'z' });
    });
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    const last = events[2]!.object;
    assert.deepEqual(last['data'], { x: 'y' }, 'a departed object is shown as it last matched');
    const now = await api.get(api.path('configmaps', 'a'));
    assert.equal(version(last), version(now.body));
  }),

  apiCase('a watch of one name sees nothing of the others', async (api) => {
    const { body } = await api.configMap('start');
    const path = `${api.path('configmaps')}?watch=true&fieldSelector=metadata.name%3Db&resourceVersion=${version(body)}`;
    const events = await api.watch(path, 1, async () => {
      await api.configMap('a');
      await api.configMap('b');
    });
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('a pod enters the watch of its node when it is bound', async (api) => {
    const { body } = await api.pod('a');
    const node = api.context.unique('node');
    const path = `${api.path('pods')}?watch=true&fieldSelector=spec.nodeName%3D${node}&resourceVersion=${version(body)}`;
    const events = await api.watch(path, 1, () =>
      api.post(api.path('pods', 'a', 'binding'), { metadata: { name: 'a' }, target: { kind: 'Node', name: node } }),
    );
    assert.deepEqual(events.map(eventOf), ['ADDED a']);
    assert.equal(valueAt(events[0]!.object, 'spec.nodeName'), node);
    await api.delete(api.path('pods', 'a'), { gracePeriodSeconds: 0 });
  }),

  apiCase('a watch over all namespaces sees the own', async (api) => {
    const { body } = await api.configMap('start');
    const label = api.context.namespace;
    const path = `/api/v1/configmaps?watch=true&labelSelector=case%3D${label}&resourceVersion=${version(body)}`;
    const events = await api.watch(path, 1, () => api.configMap('a', { labels: { case: label } }));
    assert.deepEqual(events.map(eventOf), ['ADDED a']);
  }),

  apiCase('a watch ends when its time is up', async (api) => {
    const { body } = await api.configMap('start');
    const before = api.context.clock.now();
    const path = `${api.path('secrets')}?watch=true&timeoutSeconds=1&resourceVersion=${version(body)}`;
    assert.deepEqual(await api.watch(path, 1), []);
    assert.ok(api.context.clock.now() - before >= 900);
  }),

  apiCase('the version of a list is where a watch can begin', async (api) => {
    await api.configMap('a');
    const list = (await api.get(api.path('configmaps'))).done();
    const path = `${api.path('configmaps')}?watch=true&resourceVersion=${list.text('metadata.resourceVersion')}`;
    const events = await api.watch(path, 1, () => api.configMap('b'));
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('options of a watch that make no sense are refused', async (api) => {
    const path = `${api.path('pods')}?watch=true`;
    (await api.get(`${path}&sendInitialEvents=true`)).faults(
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
    (await api.get(`${path}&resourceVersionMatch=NotOlderThan`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
    (await api.get(`${path}&timeoutSeconds=x`)).refused(
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
    (await api.get(`${path}&fieldSelector=odd%3D1`)).refused(400, 'BadRequest', 'field label not supported: odd');
  }),

  apiCase('a table can be watched, one row an event', async (api) => {
    const { body } = await api.pod('a');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = `${api.path('pods')}?watch=true&resourceVersion=${version(body)}`;
    const [event] = await api.watch(path, 1, () => api.pod('b'), { accept });
    const { kind, rows } = event!.object as unknown as { kind: string; rows: { cells: unknown[] }[] };
    assert.deepEqual([event!.type, kind, rows[0]?.cells[0]], ['ADDED', 'Table', 'b']);
  }),
];
