import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HOUR, MINUTE, type TransportRequest, VirtualClock } from '@karpenter-ts/runtime';
import { seededRandom } from './identity.ts';
import { ApiServer } from './server.ts';

async function ask(server: ApiServer, method: TransportRequest['method'], path: string, body?: object) {
  const response = await server.handle({ method, path, headers: {}, ...(body && { body: JSON.stringify(body) }) });
  const chunks: Buffer[] = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return { code: response.status, headers: response.headers, text: Buffer.concat(chunks).toString() };
}

test('equal seeds and times make equal servers', async () => {
  const history = async () => {
    const server = new ApiServer({ clock: new VirtualClock(), random: seededRandom(5) });
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
