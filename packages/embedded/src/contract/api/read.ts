import assert from 'node:assert/strict';
import { apiCase, namesOf, type Wire } from './wire.ts';

async function three(wire: Wire): Promise<void> {
  await wire.configMap('a', { labels: { tier: 'front', n: '1' } });
  await wire.configMap('b', { labels: { tier: 'back', n: '5' } });
  await wire.configMap('c');
}

/** The names of this case's own objects: a namespace has a ConfigMap that nobody asked for. */
async function selected(wire: Wire, query: string): Promise<readonly unknown[]> {
  const list = (await wire.get(`${wire.path('configmaps')}?${query}`)).done();
  return namesOf(list.items).filter((name) => name !== 'kube-root-ca.crt');
}

/** Getting and listing objects. */
export const readCases = [
  apiCase('what is not there is not found', async (wire) => {
    const answer = await wire.get(wire.path('pods', 'nope'));
    answer.refused(404, 'NotFound', 'pods "nope" not found');
    assert.deepEqual(answer.at('details'), { name: 'nope', kind: 'pods' });
    assert.deepEqual(answer.at('metadata'), {});
  }),

  apiCase('a resource that is not served is not found', async (wire) => {
    const answer = await wire.get(wire.path('nonsenses'));
    answer.refused(404, 'NotFound', 'the server could not find the requested resource');
    assert.deepEqual(answer.at('details'), {});
  }),

  apiCase('a method that a resource does not have is not allowed', async (wire) => {
    const refuse = 'the server does not allow this method on the requested resource';
    (await wire.put(wire.path('pods'), {})).refused(405, 'MethodNotAllowed', refuse);
    (await wire.post(wire.path('pods', 'a'), {})).refused(405, 'MethodNotAllowed', refuse);
    (await wire.delete('/api/v1/namespaces')).refused(405, 'MethodNotAllowed', refuse);
  }),

  apiCase('a list has a kind and a version, and its items need none of their own', async (wire) => {
    await three(wire);
    const list = (await wire.get(`${wire.path('configmaps')}?labelSelector=tier`)).done();
    assert.deepEqual([list.at('kind'), list.at('apiVersion')], ['ConfigMapList', 'v1']);
    assert.match(list.text('metadata.resourceVersion'), /^\d+$/);
    for (const item of list.items) assert.equal(item['kind'], undefined);
  }),

  apiCase('a list of nothing is an empty list', async (wire) => {
    assert.deepEqual((await wire.get(wire.path('pods'))).done().items, []);
  }),

  apiCase('a list of a namespace that is not there is empty, too', async (wire) => {
    const list = await wire.get(`/api/v1/namespaces/${wire.context.unique('nowhere')}/pods`);
    assert.deepEqual(list.done().items, []);
  }),

  apiCase('lists are in the order of names', async (wire) => {
    for (const name of ['b', 'a10', 'a', 'c', 'a-1', 'a2']) await wire.configMap(name);
    assert.deepEqual(await selected(wire, ''), ['a', 'a-1', 'a10', 'a2', 'b', 'c']);
  }),

  apiCase('a list over all namespaces holds those of each', async (wire) => {
    await wire.configMap('a', { labels: { case: wire.context.namespace } });
    const list = (await wire.get(`/api/v1/configmaps?labelSelector=case%3D${wire.context.namespace}`)).done();
    assert.deepEqual(namesOf(list.items), ['a']);
  }),

  apiCase('labels select by value, absence, set and existence', async (wire) => {
    await three(wire);
    const select = (text: string) => selected(wire, `labelSelector=${encodeURIComponent(text)}`);
    assert.deepEqual(await select('tier=front'), ['a']);
    assert.deepEqual(await select('tier!=front'), ['b', 'c']);
    assert.deepEqual(await select('tier in (front,back)'), ['a', 'b']);
    assert.deepEqual(await select('tier notin (front)'), ['b', 'c']);
    assert.deepEqual(await select('tier'), ['a', 'b']);
    assert.deepEqual(await select('!tier'), ['c']);
    assert.deepEqual(await select('tier,n=5'), ['b']);
  }),

  apiCase('labels select by number', async (wire) => {
    await three(wire);
    assert.deepEqual(await selected(wire, 'labelSelector=n%3E3'), ['b']);
    assert.deepEqual(await selected(wire, 'labelSelector=n%3C3'), ['a']);
  }),

  apiCase('a label selector that cannot be read is refused', async (wire) => {
    const answer = await wire.get(`${wire.path('configmaps')}?labelSelector=a%3D%3D%3D`);
    answer.refused(400, 'BadRequest', "unable to parse requirement: found '=', expected: identifier");
  }),

  apiCase('fields select by name, of every kind', async (wire) => {
    await three(wire);
    assert.deepEqual(await selected(wire, 'fieldSelector=metadata.name%3Db'), ['b']);
    assert.deepEqual(await selected(wire, 'fieldSelector=metadata.name!%3Db'), ['a', 'c']);
  }),

  apiCase('pods are selected by node, phase and scheduler', async (wire) => {
    await wire.pod('a');
    await wire.pod('b', { spec: { schedulerName: 'someone' } });
    const select = async (text: string) =>
      namesOf((await wire.get(`${wire.path('pods')}?fieldSelector=${encodeURIComponent(text)}`)).done().items);
    assert.deepEqual(await select('spec.schedulerName=nobody'), ['a']);
    assert.deepEqual(await select('spec.nodeName='), ['a', 'b']);
    assert.deepEqual(await select('status.phase=Pending,spec.schedulerName!=nobody'), ['b']);
    assert.deepEqual(await select('spec.nodeName=somewhere'), []);
  }),

  apiCase('a field that nobody selects by is refused', async (wire) => {
    const pods = await wire.get(`${wire.path('pods')}?fieldSelector=spec.priority%3D1`);
    pods.refused(400, 'BadRequest', 'field label not supported: spec.priority');
    const maps = await wire.get(`${wire.path('configmaps')}?fieldSelector=data%3D1`);
    maps.refused(400, 'BadRequest', '"data" is not a known field selector: only "metadata.name", "metadata.namespace"');
  }),

  apiCase('a list comes in pages, each with the way to the next and how many are left', async (wire) => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await wire.pod(name);
    const pages: unknown[] = [];
    let token = '';
    do {
      const page = (await wire.get(`${wire.path('pods')}?limit=2&continue=${token}`)).done();
      pages.push([namesOf(page.items), page.at('metadata.remainingItemCount')]);
      token = (page.at('metadata.continue') ?? '') as string;
    } while (token !== '');
    assert.deepEqual(pages, [
      [['a', 'b'], 3],
      [['c', 'd'], 1],
      [['e'], undefined],
    ]);
  }),

  apiCase('all pages show the state the first one did, whatever is written meanwhile', async (wire) => {
    for (const name of ['a', 'c', 'd']) await wire.pod(name);
    const first = (await wire.get(`${wire.path('pods')}?limit=1`)).done();
    await wire.pod('b');
    (await wire.delete(wire.path('pods', 'c'), { gracePeriodSeconds: 0 })).done();
    const second = (await wire.get(`${wire.path('pods')}?limit=5&continue=${first.text('metadata.continue')}`)).done();
    assert.deepEqual(namesOf(second.items), ['c', 'd']);
    assert.equal(second.at('metadata.resourceVersion'), first.at('metadata.resourceVersion'));
  }),

  apiCase('pages of a selection do not say how many are left', async (wire) => {
    await three(wire);
    const page = (await wire.get(`${wire.path('configmaps')}?limit=1&labelSelector=tier`)).done();
    assert.notEqual(page.at('metadata.continue') ?? '', '');
    assert.equal(page.at('metadata.remainingItemCount'), undefined);
  }),

  apiCase('a token that leads nowhere is refused', async (wire) => {
    const answer = await wire.get(`${wire.path('pods')}?limit=1&continue=abc`);
    answer.refused(400, 'BadRequest', /^invalid continue token: continue key is not valid: /);
  }),

  apiCase('who takes any version gets the whole list, whatever the limit', async (wire) => {
    for (const name of ['a', 'b', 'c']) await wire.pod(name);
    const all = await wire.context.until('the cache has them', async () => {
      const list = await wire.get(`${wire.path('pods')}?limit=1&resourceVersion=0`);
      return list.items.length === 3 && list;
    });
    assert.equal(all.at('metadata.continue') ?? '', '');
  }),

  apiCase('a list can be had as it was at an exact version', async (wire) => {
    const then = await wire.pod('a');
    await wire.pod('b');
    const query = `resourceVersionMatch=Exact&resourceVersion=${then.text('metadata.resourceVersion')}`;
    const list = (await wire.get(`${wire.path('pods')}?${query}`)).done();
    assert.deepEqual(namesOf(list.items), ['a']);
    assert.equal(list.at('metadata.resourceVersion'), then.at('metadata.resourceVersion'));
  }),

  apiCase('a list no older than a version has what was written by then', async (wire) => {
    const { body } = await wire.pod('a');
    const version = (body['metadata'] as { resourceVersion: string }).resourceVersion;
    const query = `resourceVersionMatch=NotOlderThan&resourceVersion=${version}`;
    // A server whose cache is seconds behind does not answer with less, but asks to come again.
    const list = await wire.context.until('the cache is as new as that', async () => {
      const answer = await wire.get(`${wire.path('pods')}?${query}`);
      return answer.code !== 504 && answer;
    });
    assert.deepEqual(namesOf(list.done().items), ['a']);
  }),

  apiCase('a version of the future is not waited for for long', async (wire) => {
    const answer = await wire.get(`${wire.path('pods')}?resourceVersion=999999999`);
    answer.refused(504, 'Timeout', /^Timeout: Too large resource version: 999999999, current: \d+$/);
    assert.deepEqual(answer.at('details.causes'), [
      { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
    ]);
  }),

  apiCase('options of a list that make no sense are refused', async (wire) => {
    const path = wire.path('pods');
    (await wire.get(`${path}?limit=x`)).refused(400, 'BadRequest', 'strconv.ParseInt: parsing "x": invalid syntax');
    (await wire.get(`${path}?resourceVersion=x`)).refused(400, 'BadRequest', /^invalid resource version: /);
    (await wire.get(`${path}?resourceVersionMatch=Exact`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden unless resourceVersion is provided',
    );
    (await wire.get(`${path}?resourceVersionMatch=Exact&resourceVersion=0`)).faults(
      'resourceVersionMatch: Forbidden: resourceVersionMatch "exact" is forbidden for resourceVersion "0"',
    );
    (await wire.get(`${path}?sendInitialEvents=true`)).faults(
      'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list',
    );
  }),

  apiCase('a form that cannot be given is not acceptable', async (wire) => {
    const answer = await wire.get(wire.path('pods'), { accept: 'text/csv' });
    assert.equal(answer.code, 406);
    assert.equal(answer.at('reason'), 'NotAcceptable');
  }),

  apiCase('metadata alone can be had', async (wire) => {
    await wire.pod('a', { metadata: { labels: { x: 'y' } } });
    const accept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
    const list = (await wire.get(wire.path('pods'), { accept })).done();
    assert.equal(list.at('kind'), 'PartialObjectMetadataList');
    assert.deepEqual([list.at('items.0.metadata.labels'), list.at('items.0.spec')], [{ x: 'y' }, undefined]);
    const one = accept.replace('List', '');
    assert.equal((await wire.get(wire.path('pods', 'a'), { accept: one })).done().at('kind'), 'PartialObjectMetadata');
  }),

  apiCase('objects can be had as rows of a table, as kubectl shows them', async (wire) => {
    await wire.pod('a');
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
    const table = (await wire.get(wire.path('pods'), { accept })).done();
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
