import assert from 'node:assert/strict';
import { apiCase, namesOf, type RawApi } from './raw-api.ts';

async function three(api: RawApi): Promise<void> {
  await api.configMap('a', { labels: { tier: 'front', n: '1' } });
  await api.configMap('b', { labels: { tier: 'back', n: '5' } });
  await api.configMap('c');
}

/** The names of this case's own objects: a namespace has a ConfigMap that nobody asked for. */
async function selected(api: RawApi, query: string): Promise<readonly unknown[]> {
  const list = (await api.get(`${api.path('configmaps')}?${query}`)).done();
  return namesOf(list.items).filter((name) => name !== 'kube-root-ca.crt');
}

/** Getting and listing objects. */
export const readCases = [
  apiCase('what is not there is not found', async (api) => {
    const answer = await api.get(api.path('pods', 'nope'));
    answer.refused(404, 'NotFound', 'pods "nope" not found');
    assert.deepEqual(answer.at('details'), { name: 'nope', kind: 'pods' });
    assert.deepEqual(answer.at('metadata'), {});
  }),

  apiCase('a resource that is not served is not found', async (api) => {
    const answer = await api.get(api.path('nonsenses'));
    answer.refused(404, 'NotFound', 'the server could not find the requested resource');
    assert.deepEqual(answer.at('details'), {});
  }),

  apiCase('a method that a resource does not have is not allowed', async (api) => {
    const refuse = 'the server does not allow this method on the requested resource';
    (await api.put(api.path('pods'), {})).refused(405, 'MethodNotAllowed', refuse);
    (await api.post(api.path('pods', 'a'), {})).refused(405, 'MethodNotAllowed', refuse);
    (await api.delete('/api/v1/namespaces')).refused(405, 'MethodNotAllowed', refuse);
  }),

  apiCase('a list has a kind and a version, and its items need none of their own', async (api) => {
    await three(api);
    const list = (await api.get(`${api.path('configmaps')}?labelSelector=tier`)).done();
    assert.deepEqual([list.at('kind'), list.at('apiVersion')], ['ConfigMapList', 'v1']);
    assert.match(list.text('metadata.resourceVersion'), /^\d+$/);
    for (const item of list.items) assert.equal(item['kind'], undefined);
  }),

  apiCase('a list of nothing is an empty list', async (api) => {
    assert.deepEqual((await api.get(api.path('pods'))).done().items, []);
  }),

  apiCase('a list of a namespace that is not there is empty, too', async (api) => {
    const list = await api.get(`/api/v1/namespaces/${api.context.unique('nowhere')}/pods`);
    assert.deepEqual(list.done().items, []);
  }),

  apiCase('lists are in the order of names', async (api) => {
    for (const name of ['b', 'a10', 'a', 'c', 'a-1', 'a2']) await api.configMap(name);
    assert.deepEqual(await selected(api, ''), ['a', 'a-1', 'a10', 'a2', 'b', 'c']);
  }),

  apiCase('a list over all namespaces holds those of each', async (api) => {
    await api.configMap('a', { labels: { case: api.context.namespace } });
    const list = (await api.get(`/api/v1/configmaps?labelSelector=case%3D${api.context.namespace}`)).done();
    assert.deepEqual(namesOf(list.items), ['a']);
  }),

  apiCase('labels select by value, absence, set and existence', async (api) => {
    await three(api);
    const select = (text: string) => selected(api, `labelSelector=${encodeURIComponent(text)}`);
    assert.deepEqual(await select('tier=front'), ['a']);
    assert.deepEqual(await select('tier!=front'), ['b', 'c']);
    assert.deepEqual(await select('tier in (front,back)'), ['a', 'b']);
    assert.deepEqual(await select('tier notin (front)'), ['b', 'c']);
    assert.deepEqual(await select('tier'), ['a', 'b']);
    assert.deepEqual(await select('!tier'), ['c']);
    assert.deepEqual(await select('tier,n=5'), ['b']);
  }),

  apiCase('labels select by number', async (api) => {
    await three(api);
    assert.deepEqual(await selected(api, 'labelSelector=n%3E3'), ['b']);
    assert.deepEqual(await selected(api, 'labelSelector=n%3C3'), ['a']);
  }),

  apiCase('a label selector that cannot be read is refused', async (api) => {
    const answer = await api.get(`${api.path('configmaps')}?labelSelector=a%3D%3D%3D`);
    answer.refused(400, 'BadRequest', "unable to parse requirement: found '=', expected: identifier");
  }),

  apiCase('fields select by name, of every kind', async (api) => {
    await three(api);
    assert.deepEqual(await selected(api, 'fieldSelector=metadata.name%3Db'), ['b']);
    assert.deepEqual(await selected(api, 'fieldSelector=metadata.name!%3Db'), ['a', 'c']);
  }),

  apiCase('pods are selected by node, phase and scheduler', async (api) => {
    await api.pod('a');
    await api.pod('b', { spec: { schedulerName: 'someone' } });
    const select = async (text: string) =>
      namesOf((await api.get(`${api.path('pods')}?fieldSelector=${encodeURIComponent(text)}`)).done().items);
    assert.deepEqual(await select('spec.schedulerName=nobody'), ['a']);
    assert.deepEqual(await select('spec.nodeName='), ['a', 'b']);
    assert.deepEqual(await select('status.phase=Pending,spec.schedulerName!=nobody'), ['b']);
    assert.deepEqual(await select('spec.nodeName=somewhere'), []);
  }),

  apiCase('a field that nobody selects by is refused', async (api) => {
    const pods = await api.get(`${api.path('pods')}?fieldSelector=spec.priority%3D1`);
    pods.refused(400, 'BadRequest', 'field label not supported: spec.priority');
    const maps = await api.get(`${api.path('configmaps')}?fieldSelector=data%3D1`);
    maps.refused(400, 'BadRequest', '"data" is not a known field selector: only "metadata.name", "metadata.namespace"');
  }),

  apiCase('a list comes in pages, each with the way to the next and how many are left', async (api) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await api.pod(name);
    const pages: unknown[] = [];
    let token = '';
    do {
      const page = (await api.get(`${api.path('pods')}?limit=2&continue=${token}`)).done();
      pages.push([namesOf(page.items), page.at('metadata.remainingItemCount')]);
      token = (page.at('metadata.continue') ?? '') as string;
    } while (token !== '');
    assert.deepEqual(pages, [
      [['a', 'b'], 3],
      [['c', 'd'], 1],
      [['e'], undefined],
    ]);
  }),

  apiCase('all pages show the state the first one did, whatever is written meanwhile', async (api) => {
    for (const name of ['a', 'c', 'd']) await api.pod(name);
    const first = (await api.get(`${api.path('pods')}?limit=1`)).done();
    await api.pod('b');
    (await api.delete(api.path('pods', 'c'), { gracePeriodSeconds: 0 })).done();
    const second = (await api.get(`${api.path('pods')}?limit=5&continue=${first.text('metadata.continue')}`)).done();
    assert.deepEqual(namesOf(second.items), ['c', 'd']);
    assert.equal(second.at('metadata.resourceVersion'), first.at('metadata.resourceVersion'));
  }),

  apiCase('pages of a selection do not say how many are left', async (api) => {
    await three(api);
    const page = (await api.get(`${api.path('configmaps')}?limit=1&labelSelector=tier`)).done();
    assert.notEqual(page.at('metadata.continue') ?? '', '');
    assert.equal(page.at('metadata.remainingItemCount'), undefined);
  }),

  apiCase('a token that leads nowhere is refused', async (api) => {
    const answer = await api.get(`${api.path('pods')}?limit=1&continue=abc`);
    answer.refused(400, 'BadRequest', /^invalid continue token: continue key is not valid: /);
  }),

  apiCase('who takes any version gets the whole list, whatever the limit', async (api) => {
    for (const name of ['a', 'b', 'c']) await api.pod(name);
    const all = await api.context.until('the cache has them', async () => {
      const list = await api.get(`${api.path('pods')}?limit=1&resourceVersion=0`);
      return list.items.length === 3 && list;
    });
    assert.equal(all.at('metadata.continue') ?? '', '');
  }),

  apiCase('a list can be had as it was at an exact version', async (api) => {
    const then = await api.pod('a');
    await api.pod('b');
    const query = `resourceVersionMatch=Exact&resourceVersion=${then.text('metadata.resourceVersion')}`;
    const list = (await api.get(`${api.path('pods')}?${query}`)).done();
    assert.deepEqual(namesOf(list.items), ['a']);
    assert.equal(list.at('metadata.resourceVersion'), then.at('metadata.resourceVersion'));
  }),

  apiCase('a list no older than a version has what was written by then', async (api) => {
    const { body } = await api.pod('a');
    const version = (body['metadata'] as { resourceVersion: string }).resourceVersion;
    const query = `resourceVersionMatch=NotOlderThan&resourceVersion=${version}`;
    // A server whose cache is seconds behind does not answer with less, but asks to come again.
    const list = await api.context.until('the cache is as new as that', async () => {
      const answer = await api.get(`${api.path('pods')}?${query}`);
      return answer.code !== 504 && answer;
    });
    assert.deepEqual(namesOf(list.done().items), ['a']);
  }),

  apiCase('a version of the future is not waited for for long', async (api) => {
    const answer = await api.get(`${api.path('pods')}?resourceVersion=999999999`);
    answer.refused(504, 'Timeout', /^Timeout: Too large resource version: 999999999, current: \d+$/);
    assert.deepEqual(answer.at('details.causes'), [
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
    ]);
  }),

  apiCase('options of a list that make no sense are refused', async (api) => {
    const path = api.path('pods');
    (await api.get(`${path}?limit=x`)).refused(400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax');
    (await api.get(`${path}?resourceVersion=x`)).refused(400, 'BadRequest', /^invalid resource version: /);
    (await api.get(`${path}?resourceVersionMatch=Exact`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    (await api.get(`${path}?resourceVersionMatch=Exact&resourceVersion=0`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
    (await api.get(`${path}?sendInitialEvents=true`)).faults(
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
  }),

  apiCase('a form that cannot be given is not acceptable', async (api) => {
    const answer = await api.get(api.path('pods'), { accept: 'text/csv' });
    assert.equal(answer.code, 406);
    assert.equal(answer.at('reason'), 'NotAcceptable');
  }),

  apiCase('metadata alone can be had', async (api) => {
    await api.pod('a', { metadata: { labels: { x: 'y' } } });
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const list = (await api.get(api.path('pods'), { accept })).done();
    assert.equal(list.at('kind'), 'PartialObjectMetadataList');
    assert.deepEqual([list.at('items.0.metadata.labels'), list.at('items.0.spec')], [{ x: 'y' }, undefined]);
    const one = accept.replace('List', '');
    assert.equal((await api.get(api.path('pods', 'a'), { accept: one })).done().at('kind'), 'PartialObjectMetadata');
  }),

  apiCase('objects can be had as rows of a table, as kubectl shows them', async (api) => {
    await api.pod('a');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const table = (await api.get(api.path('pods'), { accept })).done();
    assert.deepEqual([table.at('kind'), table.at('apiVersion')], ['Table', 'meta.k8s.io/v1']);
    const columns = table.at('columnDefinitions') as readonly { name: string; priority: number }[];
    assert.deepEqual(
      columns.filter(({ priority }) => priority === 0).map(({ name }) => name),
      ['Name', 'Ready', 'Status', 'Restarts', 'Age'],
    );
    assert.deepEqual((table.at('rows.0.cells') as readonly unknown[]).slice(0, 3), ['a', '0/1', 'Pending']);
    assert.equal(table.at('rows.0.object.kind'), 'PartialObjectMetadata');
  }),
];
