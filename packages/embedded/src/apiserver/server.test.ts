import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, type TransportRequest, VirtualClock } from '@karpenter-ts/runtime';
import { xorshift32 } from './identity.ts';
import { ApiServer } from './server.ts';

async function ask(server: ApiServer, method: TransportRequest['method'], path: string, body?: object | string) {
  const text = typeof body === 'object' ? JSON.stringify(body) : body;
  const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
  const response = await server.handle({ method, path, headers, ...(text && { body: text }) });
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { code: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

test('equal seeds and times make equal servers', async () => {
  const history = async () => {
    const server = new ApiServer({ clock: new VirtualClock(), random: xorshift32(5) });
    for (let i = 0; i < 3; i++)
      await ask(server, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { generateName: 'a-' } });
    return (await ask(server, 'GET', '/api/v1/configmaps')).text;
  };
  assert.equal(await history(), await history());
});

test('events vanish an hour after their last write; other objects do not', async () => {
  const clock = new VirtualClock();
  const server = new ApiServer({ clock });
  const path = '/api/v1/namespaces/default/events';
  const event = (name: string) => ({ metadata: { name }, involvedObject: { namespace: 'default' } });
  await ask(server, 'POST', path, event('old'));
  await ask(server, 'POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'stays' } });
  await clock.advance(30 * MINUTE);
  await ask(server, 'POST', path, event('new'));
  assert.equal((await ask(server, 'GET', `${path}/old`)).code, 200);
  await clock.advance(31 * MINUTE);
  assert.deepEqual(
    [(await ask(server, 'GET', `${path}/old`)).code, (await ask(server, 'GET', `${path}/new`)).code],
    [404, 200],
  );
  await clock.advance(2 * HOUR);
  assert.equal((await ask(server, 'GET', '/api/v1/namespaces/default/configmaps/stays')).code, 200);
});

test('server-side apply is refused with a clear word', async () => {
  const server = new ApiServer();
  const headers = { 'content-type': 'application/apply-patch+yaml' };
  const path = '/api/v1/namespaces/default/configmaps/a?fieldManager=me';
  const { status, body } = await server.handle({ method: 'PATCH', path, headers, body: '{}' });
  assert.equal(status, 415);
  for await (const chunk of body) assert.match(chunk.toString(), /server-side apply is not supported by this server/);
});

test('an answer that asks for patience says for how long in its head, too', async () => {
  const server = new ApiServer();
  const answer = await ask(server, 'GET', '/api/v1/pods?resourceVersion=99999');
  assert.deepEqual([answer.code, answer.headers['retry-after']], [504, '1']);
});

test('the server is healthy', async () => {
  const server = new ApiServer();
  for (const path of ['/healthz', '/livez', '/readyz']) assert.deepEqual((await ask(server, 'GET', path)).text, 'ok');
});

test('whole numbers of 64 bits are kept as they were sent, whatever is done with the object', async () => {
  const server = new ApiServer();
  const path = '/api/v1/namespaces/default/pods';
  const pod = (seconds: string) =>
    `{"metadata":{"name":"a"},"spec":{"containers":[{"name":"a","image":"b"}],"tolerations":[{"key":"k",` +
    `"operator":"Exists","effect":"NoExecute","tolerationSeconds":${seconds}}]}}`;
  const seconds = (text: string) => /"tolerationSeconds":(-?\d+)/.exec(text)?.[1];
  for (const number of ['9223372036854775807', '-9223372036854775808', '9007199254740993']) {
    assert.equal(seconds((await ask(server, 'POST', path, pod(number))).text), number);
    const { text } = await ask(server, 'GET', `${path}/a`);
    assert.equal(seconds(text), number);
    assert.equal(seconds((await ask(server, 'PUT', `${path}/a`, text)).text), number);
    assert.equal(seconds((await ask(server, 'PATCH', `${path}/a`, '{"metadata":{"labels":{"a":"b"}}}')).text), number);
    assert.equal(seconds((await ask(server, 'GET', path)).text), number);
    await ask(server, 'DELETE', `${path}/a?gracePeriodSeconds=0`);
  }
  const tooLong = await ask(
    server,
    'POST',
    path,
    pod('1').replace('"containers"', '"priority":9223372036854775807,"containers"'),
  );
  assert.deepEqual(
    [
      tooLong.code,
      tooLong.text.includes(
        'cannot unmarshal number 9223372036854775807 into Go struct field PodSpec.spec.priority of type int32',
      ),
    ],
    [400, true],
  );
});

test('a pod with the longest grace there is can be deleted', async () => {
  const server = new ApiServer();
  const path = '/api/v1/namespaces/default/pods';
  const grace = '9223372036854775807';
  const pod = `{"metadata":{"name":"a"},"spec":{"nodeName":"n","terminationGracePeriodSeconds":${grace},"containers":[{"name":"a","image":"b"}]}}`;
  await ask(server, 'POST', path, pod);
  const { code, text } = await ask(server, 'DELETE', `${path}/a`);
  assert.equal(code, 200);
  assert.match(text, new RegExp(`"deletionGracePeriodSeconds":${grace}`));
});

test('names that JavaScript objects inherit are names like others', async () => {
  const server = new ApiServer();
  const secret = { metadata: { name: 'constructor', labels: { valueOf: 'a' } }, type: 'constructor' };
  assert.equal((await ask(server, 'POST', '/api/v1/namespaces/default/secrets', secret)).code, 201);
  const resources = { requests: { constructor: '1', toString: '1' }, limits: { cpu: '1' } };
  const pod = { metadata: { name: 'a' }, spec: { containers: [{ name: 'a', image: 'b', resources }] } };
  const { code, text } = await ask(server, 'POST', '/api/v1/namespaces/default/pods', pod);
  assert.equal(code, 422);
  assert.match(text, /Invalid value: \\"constructor\\": must be a standard resource/);
});
