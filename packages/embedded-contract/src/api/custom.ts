import assert from 'node:assert/strict';
import type { JsonObject } from '@karpenter-ts/kubernetes';
import { type Answer, apiCase, namesOf, STRATEGIC, type RawApi } from './raw-api.ts';

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

const SCHEMA: JsonObject = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        color: { type: 'string', default: 'red', enum: ['red', 'blue'] },
        tags: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
        replicas: { type: 'integer' },
        parts: {
          type: 'array',
          items: { type: 'object', properties: { name: { type: 'string' }, made: { type: 'string' } } },
        },
        fixed: {
          type: 'string',
          'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is immutable' }],
        },
      },
      'x-kubernetes-validations': [{ rule: "self.size < 5 || self.color == 'blue'", message: 'what is large is blue' }],
    },
    status: { type: 'object', properties: { ready: { type: 'boolean' }, replicas: { type: 'integer' } } },
  },
};

function isEstablished(definition: Answer): boolean {
  const conditions = (definition.at('status.conditions') ?? []) as readonly { type: string; status: string }[];
  return conditions.some(({ type, status }) => type === 'Established' && status === 'True');
}

/** A kind of the case's own, served before it is answered. */
class Widgets {
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly #wire: RawApi;

  constructor(api: RawApi) {
    this.#wire = api;
    this.group = `${api.context.namespace}.example.com`;
    this.name = `widgets.${this.group}`;
    this.path = `/apis/${this.group}/v1/namespaces/${api.context.namespace}/widgets`;
  }

  static async define(api: RawApi): Promise<Widgets> {
    const widgets = new Widgets(api);
    (await api.post(CRDS, widgets.definition())).done(201);
    api.context.defer(() => api.delete(`${CRDS}/${widgets.name}`));
    await api.context.until('the kind is established', async () =>
      isEstablished(await api.get(`${CRDS}/${widgets.name}`)),
    );
    const probe = widgets.widget('probe', { size: 1 });
    await api.context.until(
      'the kind is served',
      async () => (await api.post(`${widgets.path}?dryRun=All`, probe)).code === 201,
    );
    // Lists and watches come from a cache, and are refused with 429 until that is filled.
    await api.context.until(
      'the kind is cached',
      async () => (await api.get(`${widgets.path}?resourceVersion=0`)).code === 200,
    );
    return widgets;
  }

  definition(spec: JsonObject = {}): JsonObject {
    return {
      metadata: { name: this.name },
      spec: {
        group: this.group,
        names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] },
        scope: 'Namespaced',
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: SCHEMA },
            subresources: {
              status: {},
              scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
            },
            additionalPrinterColumns: [
              { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
              { name: 'Wheel', type: 'string', jsonPath: '.spec.parts[?(@.name=="wheel")].made' },
              { name: 'First', type: 'string', jsonPath: '.spec.parts[0].name', priority: 1 },
            ],
          },
        ],
        ...spec,
      },
    };
  }

  widget(name: string, spec: JsonObject, more: JsonObject = {}): JsonObject {
    return { apiVersion: `${this.group}/v1`, kind: 'Widget', metadata: { name }, spec, ...more };
  }

  async create(name: string, spec: JsonObject, more: JsonObject = {}) {
    return (await this.#wire.post(this.path, this.widget(name, spec, more))).done(201);
  }
}

/** Custom resources and their definitions. */
export const customCases = [
  apiCase('a definition is completed and soon established', async (api) => {
    const widgets = await Widgets.define(api);
    const crd = (await api.get(`${CRDS}/${widgets.name}`)).done();
    assert.ok(isEstablished(crd));
    assert.deepEqual([crd.at('spec.names.singular'), crd.at('spec.names.listKind')], ['widget', 'WidgetList']);
    assert.deepEqual([crd.at('spec.conversion'), crd.at('status.storedVersions')], [{ strategy: 'None' }, ['v1']]);
    assert.equal(crd.at('status.acceptedNames.plural'), 'widgets');
  }),

  apiCase('a definition must be named after what it defines, and have a schema', async (api) => {
    const widgets = new Widgets(api);
    const wrong = { ...widgets.definition(), metadata: { name: `gadgets.${widgets.group}` } };
    (await api.post(CRDS, wrong)).refused(
      422,
      'Invalid',
      /metadata\.name: Invalid value: "gadgets\..*": must be spec\.names\.plural\+"\."\+spec\.group/,
    );
    const bare = widgets.definition({ versions: [{ name: 'v1', served: true, storage: true }] });
    (await api.post(CRDS, bare)).faults('spec.versions[0].schema.openAPIV3Schema: Required value');
  }),

  apiCase('a custom resource is in discovery with its parts', async (api) => {
    const { group } = await Widgets.define(api);
    const list = await api.context.until('discovery has it', async () => {
      const found = await api.get(`/apis/${group}/v1`);
      return found.code === 200 && found;
    });
    const names = (list.at('resources') as readonly { name: string }[]).map(({ name }) => name);
    assert.deepEqual([...names].sort(), ['widgets', 'widgets/scale', 'widgets/status']);
  }),

  apiCase('a custom object is pruned and completed by its schema', async (api) => {
    const widgets = await Widgets.define(api);
    const created = await widgets.create('a', { size: 1, extra: 'x' }, { status: { ready: true } });
    assert.deepEqual(created.at('spec'), { size: 1, color: 'red' });
    assert.equal(created.at('status'), undefined);
    assert.equal(created.at('metadata.generation'), 1);
  }),

  apiCase('a custom object that breaks its schema is refused with every fault', async (api) => {
    const widgets = await Widgets.define(api);
    const answer = await api.post(widgets.path, widgets.widget('a', { size: 0, color: 'green' }));
    answer.refused(422, 'Invalid', /^Widget\..*example\.com "a" is invalid: /);
    const causes = answer.at('details.causes') as readonly { field: string }[];
    const fields = new Set(causes.map(({ field }) => field));
    assert.ok(fields.has('spec.size') && fields.has('spec.color'));
    (await api.post(widgets.path, widgets.widget('a', {}))).refused(422, 'Invalid', /spec\.size: Required value/);
  }),

  apiCase('rules of a schema are kept', async (api) => {
    const widgets = await Widgets.define(api);
    const answer = await api.post(widgets.path, widgets.widget('a', { size: 7 }));
    answer.faults('spec: Invalid value: what is large is blue');
    await widgets.create('a', { size: 7, color: 'blue' });
  }),

  apiCase('rules about change hold for updates', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1, fixed: 'x' });
    (await api.patch(`${widgets.path}/a`, { spec: { fixed: 'y' } })).faults(
      'spec.fixed: Invalid value: "y": fixed is immutable',
    );
    (await api.patch(`${widgets.path}/a`, { spec: { size: 2 } })).done();
  }),

  apiCase('a set holds nothing twice', async (api) => {
    const widgets = await Widgets.define(api);
    const answer = await api.post(widgets.path, widgets.widget('a', { size: 1, tags: ['x', 'x'] }));
    answer.faults('spec.tags[1]: Duplicate value: "x"');
  }),

  apiCase('strict validation of a custom object names unknown fields', async (api) => {
    const widgets = await Widgets.define(api);
    const body = { ...widgets.widget('a', { size: 1, extra: 'x' }), metadata: { name: 'a', odd: 1 } };
    const answer = await api.post(`${widgets.path}?fieldValidation=Strict`, body);
    answer.refused(
      400,
      'BadRequest',
      'Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "metadata.odd", unknown field "spec.extra"',
    );
  }),

  apiCase('a custom object must say what it is', async (api) => {
    const widgets = await Widgets.define(api);
    const { kind: _, ...nameless } = widgets.widget('a', { size: 1 });
    (await api.post(widgets.path, nameless)).refused(
      400,
      'BadRequest',
      /^the object provided is unrecognized \(must be of type Widget\): Object 'Kind' is missing in /,
    );
    const other = { ...widgets.widget('a', { size: 1 }), apiVersion: `${widgets.group}/v2` };
    (await api.post(widgets.path, other)).refused(
      400,
      'BadRequest',
      `the API version in the data (${widgets.group}/v2) does not match the expected API version (${widgets.group}/v1)`,
    );
  }),

  apiCase('an update of a custom object must name its version', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const answer = await api.put(`${widgets.path}/a`, widgets.widget('a', { size: 2 }));
    answer.refused(
      422,
      'Invalid',
      `widgets.${widgets.group} "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    );
  }),

  apiCase('the status of a custom object is written at its own path and nowhere else', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const main = (await api.patch(`${widgets.path}/a`, { status: { ready: true } })).done();
    assert.deepEqual([main.at('status'), main.at('metadata.generation')], [undefined, 1]);
    const patch = { status: { ready: true, odd: 1 }, spec: { size: 2 }, metadata: { labels: { x: 'y' } } };
    const next = (await api.patch(`${widgets.path}/a/status`, patch)).done();
    assert.deepEqual(
      [next.at('status'), next.at('spec.size'), next.at('metadata.labels')],
      [{ ready: true }, 1, undefined],
    );
    assert.equal(next.at('metadata.generation'), 1);
  }),

  apiCase('of a status that is written whole, nobody looks at the kind', async (api) => {
    const widgets = await Widgets.define(api);
    const { kind, ...widget } = (await widgets.create('a', { size: 1 })).body;
    const next = (
      await api.put(`${widgets.path}/a/status`, { ...widget, kind: 'Pod', status: { ready: true } })
    ).done();
    assert.deepEqual([next.at('kind'), next.at('status')], [kind, { ready: true }]);
  }),

  apiCase('a status that breaks its schema is refused', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const answer = await api.patch(`${widgets.path}/a/status`, { status: { ready: 'yes' } });
    answer.refused(
      422,
      'Invalid',
      /status\.ready: Invalid value: "string": .*ready in body must be of type boolean: "string"/,
    );
  }),

  apiCase('a custom object that changes is a new generation', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    assert.equal(
      (await api.patch(`${widgets.path}/a`, { metadata: { labels: { x: 'y' } } })).done().at('metadata.generation'),
      1,
    );
    assert.equal((await api.patch(`${widgets.path}/a`, { spec: { size: 2 } })).done().at('metadata.generation'), 2);
  }),

  apiCase('a custom object is scaled where its definition says', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1, replicas: 1 });
    const scale = (await api.patch(`${widgets.path}/a/scale`, { spec: { replicas: 3 } })).done();
    assert.deepEqual(
      [scale.at('kind'), scale.at('spec'), scale.at('status')],
      ['Scale', { replicas: 3 }, { replicas: 0 }],
    );
    assert.equal((await api.get(`${widgets.path}/a`)).at('spec.replicas'), 3);
  }),

  apiCase('strategic patches mean nothing to custom objects', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const answer = await api.patch(`${widgets.path}/a`, { spec: { size: 2 } }, STRATEGIC);
    answer.refused(
      415,
      'UnsupportedMediaType',
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
  }),

  apiCase('a list of custom objects names the kind of each', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const list = (await api.get(widgets.path)).done();
    assert.deepEqual([list.at('kind'), list.at('items.0.kind'), namesOf(list.items)], ['WidgetList', 'Widget', ['a']]);
  }),

  apiCase('a table of custom objects has the columns of the definition', async (api) => {
    const widgets = await Widgets.define(api);
    const parts = [{ name: 'door' }, { name: 'wheel', made: 'here' }];
    await widgets.create('a', { size: 3, parts });
    await widgets.create('b', { size: 4 });
    const table = (await api.get(widgets.path, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' })).done();
    const columns = (table.at('columnDefinitions') as readonly { name: string }[]).map(({ name }) => name);
    assert.deepEqual(
      [columns, table.at('rows.0.cells'), table.at('rows.1.cells')],
      [
        ['Name', 'Size', 'Wheel', 'First'],
        ['a', 3, 'here', 'door'],
        ['b', 4, null, null],
      ],
    );
  }),

  apiCase('a watch from before the kind was there is too late', async (api) => {
    const widgets = await Widgets.define(api);
    const [line] = await api.watch(`${widgets.path}?watch=true&resourceVersion=1`, 1);
    assert.equal(line?.type, 'ERROR');
    const { code, reason, message } = line.object as { code: number; reason: string; message: string };
    assert.deepEqual({ code, reason }, { code: 410, reason: 'Expired' });
    assert.match(message, /^too old resource version: 1 \(\d+\)$/);
  }),

  apiCase('custom objects go with their definition', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 });
    const deleted = (await api.delete(`${CRDS}/${widgets.name}`)).done();
    assert.deepEqual(deleted.at('metadata.finalizers'), ['customresourcecleanup.apiextensions.k8s.io']);
    await api.context.until('it is gone', async () => (await api.get(`${CRDS}/${widgets.name}`)).code === 404);
    await api.context.until('the kind is no longer served', async () => {
      const response = await api.context.transport.send({ method: 'GET', path: widgets.path, headers: {} });
      for await (const _ of response.body);
      return response.status === 404;
    });
  }),

  apiCase('a definition waits for objects that are held, and takes no new ones', async (api) => {
    const widgets = await Widgets.define(api);
    await widgets.create('a', { size: 1 }, { metadata: { name: 'a', finalizers: ['example.com/hold'] } });
    await api.delete(`${CRDS}/${widgets.name}`);
    const refused = await api.context.until('it is terminating', async () => {
      const answer = await api.post(`${widgets.path}?dryRun=All`, widgets.widget('b', { size: 1 }));
      return answer.code === 403 && answer;
    });
    refused.refused(
      403,
      'Forbidden',
      `widgets.${widgets.group} "b" is forbidden: create not allowed while custom resource definition is terminating`,
    );
    await api.context.until(
      'its object is marked',
      async () => (await api.get(`${widgets.path}/a`)).at('metadata.deletionTimestamp') !== undefined,
    );
    (await api.patch(`${widgets.path}/a`, { metadata: { finalizers: null } })).done();
  }),
];
