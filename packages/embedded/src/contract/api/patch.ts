import assert from 'node:assert/strict';
import { apiCase, JSON_PATCH, MERGE, STRATEGIC } from './wire.ts';

/** Patching objects. */
export const patchCases = [
  apiCase('a merge patch sets, keeps and removes members', async (wire) => {
    await wire.configMap('a', { labels: { x: '1', y: '2' } }, { k: '1', l: '2' });
    const next = (
      await wire.patch(wire.path('configmaps', 'a'), { metadata: { labels: { x: null } }, data: { k: '3' } })
    ).done();
    assert.deepEqual([next.at('metadata.labels'), next.at('data')], [{ y: '2' }, { k: '3', l: '2' }]);
  }),

  apiCase('a merge patch replaces lists', async (wire) => {
    await wire.configMap('a', { finalizers: ['example.com/a', 'example.com/b'] });
    const path = wire.path('configmaps', 'a');
    const next = (await wire.patch(path, { metadata: { finalizers: ['example.com/c'] } }, MERGE)).done();
    assert.deepEqual(next.at('metadata.finalizers'), ['example.com/c']);
    (await wire.patch(path, { metadata: { finalizers: null } })).done();
  }),

  apiCase('a strategic patch merges lists by their keys', async (wire) => {
    await wire.pod('a');
    const patch = { spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] } };
    const next = (await wire.patch(wire.path('pods', 'a'), patch, STRATEGIC)).done();
    assert.equal(next.at('spec.containers.0.image'), 'example.com/app:2');
    assert.equal(next.at('spec.containers.0.terminationMessagePolicy'), 'File');
  }),

  apiCase('a strategic patch adds to finalizers and takes from them', async (wire) => {
    await wire.configMap('a', { finalizers: ['example.com/a'] });
    const path = wire.path('configmaps', 'a');
    const more = (await wire.patch(path, { metadata: { finalizers: ['example.com/b'] } }, STRATEGIC)).done();
    assert.deepEqual([...(more.at('metadata.finalizers') as string[])].sort(), ['example.com/a', 'example.com/b']);
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/b'] } };
    assert.equal((await wire.patch(path, patch, STRATEGIC)).done().at('metadata.finalizers'), undefined);
  }),

  apiCase('a strategic patch merges conditions by type', async (wire) => {
    await wire.pod('a');
    const path = wire.path('pods', 'a', 'status');
    const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
    await wire.patch(path, condition('Ready', 'False'), STRATEGIC);
    await wire.patch(path, condition('Initialized', 'True'), STRATEGIC);
    const next = (await wire.patch(path, condition('Ready', 'True'), STRATEGIC)).done();
    const conditions = next.at('status.conditions') as readonly { type: string; status: string }[];
    assert.deepEqual(
      new Map(conditions.map(({ type, status }) => [type, status])),
      new Map([
        ['Ready', 'True'],
        ['Initialized', 'True'],
      ]),
    );
  }),

  apiCase('a JSON patch adds, replaces, removes and tests', async (wire) => {
    await wire.configMap('a', {}, { k: '1', l: '2' });
    const patch = [
      { op: 'test', path: '/data/k', value: '1' },
      { op: 'replace', path: '/data/k', value: '3' },
      { op: 'remove', path: '/data/l' },
      { op: 'add', path: '/metadata/labels', value: { x: 'y' } },
    ];
    const next = (await wire.patch(wire.path('configmaps', 'a'), patch, JSON_PATCH)).done();
    assert.deepEqual([next.at('data'), next.at('metadata.labels')], [{ k: '3' }, { x: 'y' }]);
  }),

  apiCase('a JSON patch whose test fails is refused whole', async (wire) => {
    await wire.configMap('a', {}, { k: '1' });
    const patch = [
      { op: 'replace', path: '/data/k', value: '3' },
      { op: 'test', path: '/data/k', value: '1' },
    ];
    const answer = await wire.patch(wire.path('configmaps', 'a'), patch, JSON_PATCH);
    answer.refused(422, 'Invalid', 'the server rejected our request due to an error in our request');
    assert.deepEqual((await wire.get(wire.path('configmaps', 'a'))).at('data'), { k: '1' });
  }),

  apiCase('a patch of something that is not there is refused', async (wire) => {
    (await wire.patch(wire.path('configmaps', 'a'), { data: {} })).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('a patch may insist on a version', async (wire) => {
    const old = await wire.configMap('a');
    const path = wire.path('configmaps', 'a');
    const resourceVersion = old.text('metadata.resourceVersion');
    (await wire.patch(path, { metadata: { resourceVersion }, data: { x: '1' } })).done();
    (await wire.patch(path, { metadata: { resourceVersion }, data: { x: '2' } })).refused(
      409,
      'Conflict',
      /the object has been modified/,
    );
  }),

  apiCase('a patch cannot make an object another', async (wire) => {
    await wire.configMap('a');
    const path = wire.path('configmaps', 'a');
    (await wire.patch(path, { metadata: { name: 'b' } })).refused(
      400,
      'BadRequest',
      'the name of the object (b) does not match the name on the URL (a)',
    );
    (await wire.patch(path, { metadata: { namespace: 'b' } })).refused(
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    (await wire.patch(path, { metadata: { uid: 'b' } })).faults('metadata.uid: Invalid value: "b": field is immutable');
  }),

  apiCase('a patch whose result is no object of the kind is refused with that', async (wire) => {
    await wire.configMap('a');
    const answer = await wire.patch(wire.path('configmaps', 'a'), { data: { x: 5 } });
    answer.refused(
      422,
      'Invalid',
      /^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    );
  }),

  apiCase('a patch whose result breaks rules is refused with those', async (wire) => {
    await wire.pod('a');
    const answer = await wire.patch(wire.path('pods', 'a'), { spec: { activeDeadlineSeconds: -1 } });
    answer.refused(422, 'Invalid', /spec\.activeDeadlineSeconds: Invalid value: -1: must be between/);
  }),

  apiCase('strict validation of a patch names unknown fields', async (wire) => {
    await wire.configMap('a');
    const answer = await wire.patch(`${wire.path('configmaps', 'a')}?fieldValidation=Strict`, { odd: 1 }, STRATEGIC);
    answer.faults('patch: Invalid value: "map[odd:1]": strict decoding error: unknown field "odd"');
  }),

  apiCase('a patch that is no JSON is refused', async (wire) => {
    await wire.configMap('a');
    const path = wire.path('configmaps', 'a');
    (await wire.patch(path, '{', MERGE)).refused(
      400,
      'BadRequest',
      /^error decoding patch: unexpected end of JSON input$/,
    );
    assert.equal((await wire.patch(path, '{', JSON_PATCH)).code, 400);
  }),

  apiCase('a patch of an unknown type is refused', async (wire) => {
    await wire.configMap('a');
    const answer = await wire.patch(wire.path('configmaps', 'a'), {}, { contentType: 'application/json' });
    answer.refused(415, 'UnsupportedMediaType', '415: Unsupported Media Type');
  }),

  apiCase('only apply is forced', async (wire) => {
    await wire.configMap('a');
    const answer = await wire.patch(`${wire.path('configmaps', 'a')}?force=true`, { data: {} });
    answer.faults('force: Forbidden: may not be specified for non-apply patch');
  }),

  apiCase('a patch that changes nothing keeps the version', async (wire) => {
    const old = await wire.configMap('a', {}, { k: '1' });
    const same = (await wire.patch(wire.path('configmaps', 'a'), { data: { k: '1' } })).done();
    assert.equal(same.at('metadata.resourceVersion'), old.at('metadata.resourceVersion'));
  }),

  apiCase('a dry run of a patch changes nothing', async (wire) => {
    const old = await wire.configMap('a', {}, { k: '1' });
    const answer = (await wire.patch(`${wire.path('configmaps', 'a')}?dryRun=All`, { data: { k: '2' } })).done();
    assert.deepEqual(answer.at('data'), { k: '2' });
    assert.deepEqual((await wire.get(wire.path('configmaps', 'a'))).body, old.body);
  }),
];
