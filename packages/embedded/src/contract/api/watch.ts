import assert from 'node:assert/strict';
import { apiCase, eventOf, MERGE, valueAt } from './wire.ts';

const version = (body: unknown): string => (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;

/** Watching objects. */
export const watchCases = [
  apiCase('a watch from a version tells of every later write, in order', async (wire) => {
    const { body } = await wire.configMap('start');
    await wire.configMap('a');
    const events = await wire.watch(
      `${wire.path('configmaps')}?watch=true&resourceVersion=${version(body)}`,
      4,
      async () => {
        await wire.patch(wire.path('configmaps', 'a'), { data: { x: 'y' } });
        await wire.configMap('b');
        await wire.delete(wire.path('configmaps', 'a'));
      },
    );
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'MODIFIED a', 'ADDED b', 'DELETED a']);
  }),

  apiCase('an event carries the object as it was stored', async (wire) => {
    const { body } = await wire.configMap('start');
    const created = await wire.configMap('a', {}, { x: 'y' });
    const [event] = await wire.watch(`${wire.path('configmaps')}?watch=true&resourceVersion=${version(body)}`, 1);
    assert.deepEqual(event?.object, created.body);
  }),

  apiCase('the event of a deletion carries the last state under a newer version', async (wire) => {
    const { body } = await wire.configMap('a', {}, { x: 'y' });
    const path = `${wire.path('configmaps')}?watch=true&resourceVersion=${version(body)}`;
    const [event] = await wire.watch(path, 1, () => wire.delete(wire.path('configmaps', 'a')));
    assert.equal(event?.type, 'DELETED');
    assert.deepEqual(event.object['data'], { x: 'y' });
    assert.ok(Number(version(event.object)) > Number(version(body)));
  }),

  apiCase('a watch from nowhere begins with what is there', async (wire) => {
    await wire.pod('a');
    await wire.pod('b');
    const events = await wire.watch(`${wire.path('pods')}?watch=true`, 3, () => wire.pod('c'));
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'ADDED b', 'ADDED c']);
  }),

  apiCase('a streamed list ends with a bookmark that says so', async (wire) => {
    await wire.pod('a');
    const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const [added, bookmark] = await wire.watch(`${wire.path('pods')}?${query}`, 2);
    assert.equal(eventOf(added!), 'ADDED a');
    assert.equal(bookmark?.type, 'BOOKMARK');
    assert.deepEqual(valueAt(bookmark.object, 'metadata.annotations'), { 'k8s.io/initial-events-end': 'true' });
    assert.ok(Number(version(bookmark.object)) >= Number(version(added!.object)));
    assert.equal(bookmark.object['kind'], 'Pod');
  }),

  apiCase('a write that changes nothing is no event', async (wire) => {
    const { body } = await wire.configMap('a', {}, { x: 'y' });
    const path = `${wire.path('configmaps')}?watch=true&resourceVersion=${version(body)}`;
    const events = await wire.watch(path, 1, async () => {
      const same = await wire.patch(wire.path('configmaps', 'a'), { data: { x: 'y' } });
      assert.equal(version(same.body), version(body));
      await wire.configMap('b');
    });
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('an object that comes to match is added, and one that ceases to is deleted', async (wire) => {
    const { body } = await wire.configMap('a', {}, { x: 'y' });
    const path = `${wire.path('configmaps')}?watch=true&labelSelector=on&resourceVersion=${version(body)}`;
    const relabel = (labels: unknown, data = {}) =>
      wire.patch(wire.path('configmaps', 'a'), { metadata: { labels }, data }, MERGE);
    const events = await wire.watch(path, 3, async () => {
      await relabel({ on: '1' });
      await relabel({ on: '2' });
      await relabel(null, { x: 'z' });
    });
    assert.deepEqual(events.map(eventOf), ['ADDED a', 'MODIFIED a', 'DELETED a']);
    const last = events[2]!.object;
    assert.deepEqual(last['data'], { x: 'y' }, 'a departed object is shown as it last matched');
    const now = await wire.get(wire.path('configmaps', 'a'));
    assert.equal(version(last), version(now.body));
  }),

  apiCase('a watch of one name sees nothing of the others', async (wire) => {
    const { body } = await wire.configMap('start');
    const path = `${wire.path('configmaps')}?watch=true&fieldSelector=metadata.name%3Db&resourceVersion=${version(body)}`;
    const events = await wire.watch(path, 1, async () => {
      await wire.configMap('a');
      await wire.configMap('b');
    });
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('a pod enters the watch of its node when it is bound', async (wire) => {
    const { body } = await wire.pod('a');
    const node = wire.context.unique('node');
    const path = `${wire.path('pods')}?watch=true&fieldSelector=spec.nodeName%3D${node}&resourceVersion=${version(body)}`;
    const events = await wire.watch(path, 1, () =>
      wire.post(wire.path('pods', 'a', 'binding'), { metadata: { name: 'a' }, target: { kind: 'Node', name: node } }),
    );
    assert.deepEqual(events.map(eventOf), ['ADDED a']);
    assert.equal(valueAt(events[0]!.object, 'spec.nodeName'), node);
    await wire.delete(wire.path('pods', 'a'), { gracePeriodSeconds: 0 });
  }),

  apiCase('a watch over all namespaces sees the own', async (wire) => {
    const { body } = await wire.configMap('start');
    const label = wire.context.namespace;
    const path = `/api/v1/configmaps?watch=true&labelSelector=case%3D${label}&resourceVersion=${version(body)}`;
    const events = await wire.watch(path, 1, () => wire.configMap('a', { labels: { case: label } }));
    assert.deepEqual(events.map(eventOf), ['ADDED a']);
  }),

  apiCase('a watch ends when its time is up', async (wire) => {
    const { body } = await wire.configMap('start');
    const before = wire.context.clock.now();
    const path = `${wire.path('secrets')}?watch=true&timeoutSeconds=1&resourceVersion=${version(body)}`;
    assert.deepEqual(await wire.watch(path, 1), []);
    assert.ok(wire.context.clock.now() - before >= 900);
  }),

  apiCase('the version of a list is where a watch can begin', async (wire) => {
    await wire.configMap('a');
    const list = (await wire.get(wire.path('configmaps'))).done();
    const path = `${wire.path('configmaps')}?watch=true&resourceVersion=${list.text('metadata.resourceVersion')}`;
    const events = await wire.watch(path, 1, () => wire.configMap('b'));
    assert.deepEqual(events.map(eventOf), ['ADDED b']);
  }),

  apiCase('options of a watch that make no sense are refused', async (wire) => {
    const path = `${wire.path('pods')}?watch=true`;
    (await wire.get(`${path}&sendInitialEvents=true`)).faults(
      'resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
    );
    (await wire.get(`${path}&resourceVersionMatch=NotOlderThan`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
    );
    (await wire.get(`${path}&timeoutSeconds=x`)).refused(
      400,
      'BadRequest',
      'strconv.ParseInt: parsing "x": invalid syntax',
    );
    (await wire.get(`${path}&fieldSelector=odd%3D1`)).refused(400, 'BadRequest', 'field label not supported: odd');
  }),

  apiCase('a table can be watched, one row an event', async (wire) => {
    const { body } = await wire.pod('a');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const path = `${wire.path('pods')}?watch=true&resourceVersion=${version(body)}`;
    const [event] = await wire.watch(path, 1, () => wire.pod('b'), { accept });
    const { kind, rows } = event!.object as unknown as { kind: string; rows: { cells: unknown[] }[] };
    assert.deepEqual([event!.type, kind, rows[0]?.cells[0]], ['ADDED', 'Table', 'b']);
  }),
];
