import assert from 'node:assert/strict';
import { apiCase, JSON_PATCH, MERGE, STRATEGIC } from './raw-api.ts';

/** Patching objects. */
export const patchCases = [
  apiCase('a merge patch sets, keeps and removes members', async (api) => {
    await api.configMap('a', { labels: { x: '1', y: '2' } }, { k: '1', l: '2' });
    const next = (
      await api.patch(api.path('configmaps', 'a'), { metadata: { labels: { x: null } }, data: { k: '3' } })
    ).done();
    assert.deepEqual([next.at('metadata.labels'), next.at('data')], [{ y: '2' }, { k: '3', l: '2' }]);
  }),

  apiCase('a merge patch replaces lists', async (api) => {
    await api.configMap('a', { finalizers: ['example.com/a', 'example.com/b'] });
    const path = api.path('configmaps', 'a');
    const next = (await api.patch(path, { metadata: { finalizers: ['example.com/c'] } }, MERGE)).done();
    assert.deepEqual(next.at('metadata.finalizers'), ['example.com/c']);
    (await api.patch(path, { metadata: { finalizers: null } })).done();
  }),

  apiCase('a strategic patch merges lists by their keys', async (api) => {
    await api.pod('a');
    const patch = { spec: { containers: [{ name: 'main', image: 'example.com/app:2' }] } };
    const next = (await api.patch(api.path('pods', 'a'), patch, STRATEGIC)).done();
    assert.equal(next.at('spec.containers.0.image'), 'example.com/app:2');
    assert.equal(next.at('spec.containers.0.terminationMessagePolicy'), 'File');
  }),

  apiCase('a strategic patch adds to finalizers and takes from them', async (api) => {
    await api.configMap('a', { finalizers: ['example.com/a'] });
    const path = api.path('configmaps', 'a');
    const more = (await api.patch(path, { metadata: { finalizers: ['example.com/b'] } }, STRATEGIC)).done();
    assert.deepEqual([...(more.at('metadata.finalizers') as string[])].sort(), ['example.com/a', 'example.com/b']);
    const patch = { metadata: { '$deleteFromPrimitiveList/finalizers': ['example.com/a', 'example.com/b'] } };
    assert.equal((await api.patch(path, patch, STRATEGIC)).done().at('metadata.finalizers'), undefined);
  }),

  apiCase('a strategic patch merges conditions by type', async (api) => {
    await api.pod('a');
    const path = api.path('pods', 'a', 'status');
    const condition = (type: string, status: string) => ({ status: { conditions: [{ type, status }] } });
    await api.patch(path, condition('Ready', 'False'), STRATEGIC);
    await api.patch(path, condition('Initialized', 'True'), STRATEGIC);
    const next = (await api.patch(path, condition('Ready', 'True'), STRATEGIC)).done();
    const conditions = next.at('status.conditions') as readonly { type: string; status: string }[];
    assert.deepEqual(
      new Map(conditions.map(({ type, status }) => [type, status])),
      new Map([
        ['Ready', 'True'],
        ['Initialized', 'True'],
      ]),
    );
  }),

  apiCase('a JSON patch adds, replaces, removes and tests', async (api) => {
    await api.configMap('a', {}, { k: '1', l: '2' });
    const patch = [
      { op: 'test', path: '/data/k', value: '1' },
      { op: 'replace', path: '/data/k', value: '3' },
      { op: 'remove', path: '/data/l' },
      { op: 'add', path: '/metadata/labels', value: { x: 'y' } },
    ];
    const next = (await api.patch(api.path('configmaps', 'a'), patch, JSON_PATCH)).done();
    assert.deepEqual([next.at('data'), next.at('metadata.labels')], [{ k: '3' }, { x: 'y' }]);
  }),

  apiCase('a JSON patch whose test fails is refused whole', async (api) => {
    await api.configMap('a', {}, { k: '1' });
    const patch = [
      { op: 'replace', path: '/data/k', value: '3' },
      { op: 'test', path: '/data/k', value: '1' },
    ];
    const answer = await api.patch(api.path('configmaps', 'a'), patch, JSON_PATCH);
    answer.refused(422, 'Invalid', 'the server rejected our request due to an error in our request');
    assert.deepEqual((await api.get(api.path('configmaps', 'a'))).at('data'), { k: '1' });
  }),

  apiCase('a patch of something that is not there is refused', async (api) => {
    (await api.patch(api.path('configmaps', 'a'), { data: {} })).refused(404, 'NotFound', 'configmaps "a" not found');
  }),

  apiCase('a patch may insist on a version', async (api) => {
    const old = await api.configMap('a');
    const path = api.path('configmaps', 'a');
    const resourceVersion = old.text('metadata.resourceVersion');
    (await api.patch(path, { metadata: { resourceVersion }, data: { x: '1' } })).done();
    (await api.patch(path, { metadata: { resourceVersion }, data: { x: '2' } })).refused(
      409,
      'Conflict',
      /the object has been modified/,
    );
  }),

  apiCase('a patch cannot make an object another', async (api) => {
    await api.configMap('a');
    const path = api.path('configmaps', 'a');
    (await api.patch(path, { metadata: { name: 'b' } })).refused(
      400,
      'BadRequest',
      'the name of the object (b) does not match the name on the URL (a)',
    );
    (await api.patch(path, { metadata: { namespace: 'b' } })).refused(
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
    (await api.patch(path, { metadata: { uid: 'b' } })).faults('metadata.uid: Invalid value: "b": field is immutable');
  }),

  apiCase('a patch whose result is no object of the kind is refused with that', async (api) => {
    await api.configMap('a');
    const answer = await api.patch(api.path('configmaps', 'a'), { data: { x: 5 } });
    answer.refused(
      422,
      'Invalid',
      /^ "" is invalid: patch: Invalid value: .*: json: cannot unmarshal number into Go struct field ConfigMap\.data of type string$/,
    );
  }),

  apiCase('a patch whose result breaks rules is refused with those', async (api) => {
    await api.pod('a');
    const answer = await api.patch(api.path('pods', 'a'), { spec: { activeDeadlineSeconds: -1 } });
    answer.refused(422, 'Invalid', /spec\.activeDeadlineSeconds: Invalid value: -1: must be between/);
  }),

  apiCase('strict validation of a patch names unknown fields', async (api) => {
    await api.configMap('a');
    const answer = await api.patch(`${api.path('configmaps', 'a')}?fieldValidation=Strict`, { odd: 1 }, STRATEGIC);
    answer.faults('patch: Invalid value: "map[odd:1]": strict decoding error: unknown field "odd"');
  }),

  apiCase('a patch that is no JSON is refused', async (api) => {
    await api.configMap('a');
    const path = api.path('configmaps', 'a');
    (await api.patch(path, '{', MERGE)).refused(
      400,
      'BadRequest',
      /^error decoding patch: unexpected end of JSON input$/,
    );
    assert.equal((await api.patch(path, '{', JSON_PATCH)).code, 400);
  }),

  apiCase('a patch of an unknown type is refused', async (api) => {
    await api.configMap('a');
    const answer = await api.patch(api.path('configmaps', 'a'), {}, { contentType: 'application/json' });
    answer.refused(415, 'UnsupportedMediaType', '415: Unsupported Media Type');
  }),

  apiCase('only apply is forced', async (api) => {
    await api.configMap('a');
    const answer = await api.patch(`${api.path('configmaps', 'a')}?force=true`, { data: {} });
    answer.faults('force: Forbidden: may not be specified for non-apply patch');
  }),

  apiCase('a patch that changes nothing keeps the version', async (api) => {
    const old = await api.configMap('a', {}, { k: '1' });
    const same = (await api.patch(api.path('configmaps', 'a'), { data: { k: '1' } })).done();
    assert.equal(same.at('metadata.resourceVersion'), old.at('metadata.resourceVersion'));
  }),

  apiCase('a dry run of a patch changes nothing', async (api) => {
    const old = await api.configMap('a', {}, { k: '1' });
    const answer = (await api.patch(`${api.path('configmaps', 'a')}?dryRun=All`, { data: { k: '2' } })).done();
    assert.deepEqual(answer.at('data'), { k: '2' });
    assert.deepEqual((await api.get(api.path('configmaps', 'a'))).body, old.body);
  }),
];
