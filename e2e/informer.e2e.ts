// An informer while the control plane is killed and restarted: in the end it must equal what kubectl shows.
import assert from 'node:assert/strict';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiObject, CONFIG_MAPS } from '@karpenter-ts/kubernetes';
import { Client, HttpsTransport, Informer, nullLogger, realClock } from '@karpenter-ts/runtime';
import { type Lab, openLab, startLab } from './lab/lab.ts';
import { killService, reviveService, rotateToken } from './lab/fault-injection.ts';
import { until } from './operator/until.ts';

const NAMESPACE = 'default';
const OBJECTS = 2000;
const PARALLEL = 20;

type ConfigMap = ApiObject & { readonly data?: Readonly<Record<string, string>> };

describe('an informer of 2,000 objects', () => {
  const name = `informer-${process.pid}`;
  const tokenFile = join(mkdtempSync(join(tmpdir(), 'karpenter-informer-')), 'token');
  const stop = new AbortController();
  let lab: Lab;
  let client: Client;
  let transport: HttpsTransport;
  let informer: Informer<ConfigMap>;
  let running: Promise<void>;

  before(async () => {
    lab = await startLab({ name, components: ['etcd', 'kube-apiserver'] });
    writeFileSync(tokenFile, lab.adminToken);
    transport = new HttpsTransport({
      connection: {
        server: lab.server,
        ca: { data: lab.caData },
        insecureSkipTlsVerify: false,
        identity: { kind: 'tokenFile', file: tokenFile },
        impersonation: {},
      },
      clock: realClock,
      logger: nullLogger,
      env: {},
    });
    client = new Client({ transport, clock: realClock, userAgent: 'karpenter/e2e' });
    await inParallel(OBJECTS, (index) => create(`object-${index}`));
    informer = new Informer<ConfigMap>({ client, type: CONFIG_MAPS, clock: realClock, logger: nullLogger });
    running = informer.start(stop.signal);
    await informer.waitForSync(AbortSignal.timeout(120_000));
  });

  after(async () => {
    stop.abort(new Error('done'));
    await running;
    transport.close();
    await lab.stop();
  });

  const create = (object: string) =>
    client.create<ConfigMap>(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: object, namespace: NAMESPACE },
      data: { value: '0' },
    });

  /** Creates, changes and deletes objects, so that the watch misses changes. */
  async function churn(round: string): Promise<void> {
    await inParallel(100, (index) => create(`${round}-${index}`));
    await inParallel(200, (index) =>
      client.patch(
        CONFIG_MAPS,
        { name: `object-${index}`, namespace: NAMESPACE },
        { type: 'merge', body: { data: { value: round } } },
      ),
    );
    await inParallel(50, (index) => client.delete(CONFIG_MAPS, { name: `${round}-${index}`, namespace: NAMESPACE }));
  }

  /** Names and versions as kubectl gets them. The lab is opened anew: its tokens may have changed. */
  async function truth(): Promise<string> {
    const list = JSON.parse(await openLab(name).kubectl(['get', 'configmaps', '-A', '-o', 'json'])) as {
      items: readonly ConfigMap[];
    };
    return list.items.map(versionOf).sort().join('\n');
  }

  async function assertConverges(): Promise<void> {
    const cached = () => informer.list().map(versionOf).sort().join('\n');
    for (let attempt = 0; attempt < 300; attempt++) {
      if (cached() === (await truth())) return;
      await sleep(200);
    }
    assert.equal(cached(), await truth());
  }

  test('has all of them after the first list', async () => {
    assert.ok(informer.size >= OBJECTS);
    await assertConverges();
  });

  test('follows when the API server is killed and comes back', async () => {
    await killService(lab, 'kube-apiserver');
    await sleep(1000);
    await reviveService(lab, 'kube-apiserver');
    await churn('apiserver');
    await assertConverges();
  });

  test('follows when etcd is killed and comes back under a living API server', async () => {
    await killService(lab, 'etcd');
    await sleep(1000);
    await reviveService(lab, 'etcd');
    await untilServed();
    await churn('etcd');
    await assertConverges();
  });

  test('follows when its token is no longer taken and the file has a new one', async () => {
    await killService(lab, 'kube-apiserver');
    const token = rotateToken(lab, 'admin');
    await reviveService(lab, 'kube-apiserver');
    await sleep(2000); // the informer is refused with the old token meanwhile
    writeFileSync(tokenFile, token);
    await churn('token');
    await assertConverges();
  });

  async function untilServed(): Promise<void> {
    await until('objects are served', () => client.get(CONFIG_MAPS, { name: 'object-0', namespace: NAMESPACE }));
  }
});

function versionOf({ metadata }: ConfigMap): string {
  return `${metadata.namespace}/${metadata.name} ${metadata.uid} ${metadata.resourceVersion}`;
}

async function inParallel(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, worker));
}
