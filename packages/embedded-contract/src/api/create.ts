import assert from 'node:assert/strict';
import { apiCase, podBody } from './raw-api.ts';

/** Creating objects. */
export const createCases = [
  apiCase('a new object gets identity, version and time, and is answered as it was stored', async (api) => {
    const created = await api.configMap('a', { labels: { x: 'y' } }, { key: 'value' });
    assert.match(created.text('metadata.uid'), /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    assert.match(created.text('metadata.creationTimestamp'), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.match(created.text('metadata.resourceVersion'), /^\d+$/);
    assert.equal(created.at('metadata.namespace'), api.context.namespace);
    assert.deepEqual([created.at('kind'), created.at('apiVersion')], ['ConfigMap', 'v1']);
    assert.deepEqual((await api.get(api.path('configmaps', 'a'))).body, created.body);
  }),

  apiCase('a name that is taken is refused', async (api) => {
    await api.configMap('a');
    const second = await api.post(api.path('configmaps'), { metadata: { name: 'a' } });
    second.refused(409, 'AlreadyExists', 'configmaps "a" already exists');
    assert.deepEqual(second.at('details'), { name: 'a', kind: 'configmaps' });
  }),

  apiCase('a refusal about a grouped resource names its group', async (api) => {
    const missing = await api.get(api.path('apps/deployments', 'a'));
    missing.refused(404, 'NotFound', 'deployments.apps "a" not found');
    assert.deepEqual(missing.at('details'), { name: 'a', group: 'apps', kind: 'deployments' });
  }),

  apiCase('a generated name is the prefix and five letters, different each time', async (api) => {
    const path = api.path('configmaps');
    const names = new Set<string>();
    for (let i = 0; i < 5; i++)
      names.add((await api.post(path, { metadata: { generateName: 'a-' } })).text('metadata.name'));
    assert.equal(names.size, 5);
    for (const name of names) assert.match(name, /^a-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  }),

  apiCase('a long prefix of a generated name is cut so that the name has 63 letters', async (api) => {
    const created = await api.post(api.path('configmaps'), { metadata: { generateName: 'x'.repeat(70) } });
    assert.equal(created.text('metadata.name').length, 63);
  }),

  apiCase('a name that is given wins over a prefix', async (api) => {
    const created = await api.configMap('given', { generateName: 'a-' });
    assert.equal(created.at('metadata.name'), 'given');
  }),

  apiCase('an object without a name is refused', async (api) => {
    const answer = await api.post(api.path('configmaps'), {});
    answer.faults('metadata.name: Required value: name or generateName is required');
    answer.refused(
      422,
      'Invalid',
      'ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
    );
  }),

  apiCase('a name that is no DNS name is refused', async (api) => {
    const answer = await api.post(api.path('configmaps'), { metadata: { name: 'Not_DNS' } });
    answer.refused(
      422,
      'Invalid',
      /^ConfigMap "Not_DNS" is invalid: metadata\.name: Invalid value: "Not_DNS": a lowercase RFC 1123 subdomain must/,
    );
  }),

  apiCase('everything that is wrong with metadata is told at once', async (api) => {
    const metadata = { name: 'a', labels: { 'a b': 'c' }, annotations: { '!': 'x' }, finalizers: ['plain'] };
    const answer = await api.post(api.path('configmaps'), { metadata });
    answer.refused(
      422,
      'Invalid',
      /^ConfigMap "a" is invalid: \[metadata\.labels: .*, metadata\.annotations: .*, metadata\.finalizers\[0\]: Invalid value: "plain": name is neither a standard finalizer name nor is it fully qualified\]$/,
    );
  }),

  apiCase('what the server decides cannot be sent', async (api) => {
    const sent = { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z', deletionTimestamp: '2020-01-01T00:00:00Z' };
    const created = await api.configMap('a', sent);
    assert.notEqual(created.at('metadata.uid'), 'mine');
    assert.notEqual(created.at('metadata.creationTimestamp'), sent.creationTimestamp);
    assert.equal(created.at('metadata.deletionTimestamp'), undefined);
  }),

  apiCase('an object of another namespace is refused', async (api) => {
    const answer = await api.post(api.path('configmaps'), { metadata: { name: 'a', namespace: 'other' } });
    answer.refused(
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }),

  apiCase('nothing is created in a namespace that is not there', async (api) => {
    const nowhere = api.context.unique('nowhere');
    const answer = await api.post(`/api/v1/namespaces/${nowhere}/configmaps`, { metadata: { name: 'a' } });
    answer.refused(404, 'NotFound', `namespaces "${nowhere}" not found`);
  }),

  apiCase('objects with a namespace are not created outside of any', async (api) => {
    const answer = await api.post('/api/v1/configmaps', { metadata: { name: 'a' } });
    answer.refused(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource');
  }),

  apiCase('a dry run is answered as if it were real, and leaves nothing', async (api) => {
    const answer = await api.post(`${api.path('pods')}?dryRun=All`, podBody('a'));
    assert.equal(answer.done(201).at('spec.restartPolicy'), 'Always');
    assert.equal(answer.at('metadata.resourceVersion'), undefined);
    (await api.get(api.path('pods', 'a'))).refused(404, 'NotFound', 'pods "a" not found');
  }),

  apiCase('a dry run of anything but all is refused', async (api) => {
    const answer = await api.post(`${api.path('configmaps')}?dryRun=Some`, { metadata: { name: 'a' } });
    answer.faults('dryRun: Unsupported value: ["Some"]: supported values: "All"');
    answer.refused(422, 'Invalid', /^CreateOptions\.meta\.k8s\.io "" is invalid: dryRun: /);
  }),

  apiCase('strict field validation names every unknown field by its path', async (api) => {
    const body = podBody('a', { metadata: { foo: 1 }, spec: { baz: 1 }, container: { bar: 1 } });
    const answer = await api.post(`${api.path('pods')}?fieldValidation=Strict`, body);
    answer.refused(
      400,
      'BadRequest',
      'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "metadata.foo", unknown field "spec.containers[0].bar", unknown field "spec.baz"',
    );
  }),

  apiCase('by default unknown fields are dropped with a warning', async (api) => {
    const answer = await api.post(api.path('configmaps'), { metadata: { name: 'a' }, dota: {} });
    assert.equal(answer.done(201).at('dota'), undefined);
    assert.match(answer.headers['warning'] ?? '', /299 .*unknown field \\"dota\\"/);
  }),

  apiCase('unknown fields can be dropped without a word', async (api) => {
    const answer = await api.post(`${api.path('configmaps')}?fieldValidation=Ignore`, {
      metadata: { name: 'a' },
      dota: {},
    });
    assert.equal(answer.done(201).headers['warning'], undefined);
  }),

  apiCase('an unknown way of field validation is refused', async (api) => {
    const answer = await api.post(`${api.path('configmaps')}?fieldValidation=Odd`, { metadata: { name: 'a' } });
    answer.faults('fieldValidation: Unsupported value: "Odd": supported values: "", "Ignore", "Strict", "Warn"');
  }),

  apiCase('a value of the wrong type is told with the field and both types', async (api) => {
    const wrong = async (body: string, problem: string) =>
      (await api.post(api.path('pods'), body)).refused(
        400,
        'BadRequest',
        `Pod in version "v1" cannot be handled as a Pod: ${problem}`,
      );
    await wrong('{"spec":"x"}', 'json: cannot unmarshal string into Go struct field Pod.spec of type v1.PodSpec');
    await wrong(
      '{"spec":{"containers":[{"name":1}]}}',
      'json: cannot unmarshal number into Go struct field Container.spec.containers.name of type string',
    );
    await wrong(
      '{"spec":{"containers":{}}}',
      'json: cannot unmarshal object into Go struct field PodSpec.spec.containers of type []v1.Container',
    );
    await wrong(
      '{"metadata":{"labels":{"a":true}}}',
      'json: cannot unmarshal bool into Go struct field ObjectMeta.metadata.labels of type string',
    );
    await wrong(
      '{"spec":{"terminationGracePeriodSeconds":1.5}}',
      'json: cannot unmarshal number 1.5 into Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64',
    );
  }),

  apiCase('a quantity that is none is refused', async (api) => {
    const answer = await api.post(
      api.path('pods'),
      podBody('a', { container: { resources: { requests: { cpu: 'much' } } } }),
    );
    answer.refused(400, 'BadRequest', /quantities must match the regular expression/);
  }),

  apiCase('a body that is no JSON is refused', async (api) => {
    const answer = await api.post(api.path('pods'), '{');
    answer.refused(
      400,
      'BadRequest',
      "the object provided is unrecognized (must be of type Pod): couldn't get version/kind; json parse error: unexpected end of JSON input ({)",
    );
  }),

  apiCase('an object of another kind is refused', async (api) => {
    const path = api.path('pods');
    (await api.post(path, { kind: 'Node', apiVersion: 'v1' })).refused(
      400,
      'BadRequest',
      'Node in version "v1" cannot be handled as a Pod: converting (v1.Node) to (core.Pod): unknown conversion',
    );
    (await api.post(path, { kind: 'Odd', apiVersion: 'v1' })).refused(
      400,
      'BadRequest',
      /^Odd in version "v1" cannot be handled as a Pod: no kind "Odd" is registered for version "v1"/,
    );
  }),

  apiCase('a body in an unknown format is refused', async (api) => {
    const answer = await api.post(api.path('pods'), podBody('a'), { contentType: 'text/plain' });
    answer.refused(
      415,
      'UnsupportedMediaType',
      /^the body of the request was in an unknown format - accepted media types include: application\/json/,
    );
  }),

  apiCase('null is as good as nothing, and what is empty is left out', async (api) => {
    const created = await api.configMap('a', { labels: null, annotations: {}, finalizers: [] });
    const metadata = created.at('metadata') as object;
    for (const field of ['labels', 'annotations', 'finalizers']) assert.ok(!(field in metadata), field);
  }),

  apiCase('quantities are kept in their shortest form', async (api) => {
    const requests = { cpu: '0.5', memory: '1024Mi', 'ephemeral-storage': 1000 };
    const created = await api.pod('a', { container: { resources: { requests } } });
    const kept = { cpu: '500m', memory: '1Gi', 'ephemeral-storage': '1k' };
    assert.deepEqual(created.at('spec.containers.0.resources.requests'), kept);
  }),
];
