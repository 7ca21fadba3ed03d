import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { seededRandom } from '@karpenter-ts/kubernetes/testing';
import { randomFault } from '../testing/fixture-faults.ts';
import { versionOf } from '../testing/fixture-resource.ts';
import { isInSync, startInformer, startServer, until } from '../testing/fixture-informer.ts';
import type { Handler } from './handlers.ts';

// The long run of the issue: KARPENTER_ROUNDS=1000. A failure is repeated with KARPENTER_SEED.
const ROUNDS = Number(process.env['KARPENTER_ROUNDS'] ?? 250);
const SEED = Number(process.env['KARPENTER_SEED'] ?? 20261116);

/** Builds the cache a second time from events alone, and notes each that does not fit what came before. */
class Replay implements Handler<ApiObject> {
  readonly versions = new Map<string, string>();
  readonly problems: string[] = [];
  readonly #newest = new Map<string, number>();

  onAdd({ metadata }: ApiObject): void {
    if (this.versions.has(metadata.name)) this.problems.push(`added twice: ${metadata.name}`);
    this.#keep(metadata);
  }

  onUpdate(old: ApiObject, { metadata }: ApiObject): void {
    if (this.versions.get(metadata.name) !== old.metadata.resourceVersion) {
      this.problems.push(`update of ${metadata.name} from a version nobody was told of`);
    }
    this.#keep(metadata);
  }

  onDelete({ metadata }: ApiObject): void {
    if (!this.versions.delete(metadata.name)) this.problems.push(`deleted without being there: ${metadata.name}`);
  }

  /** The fixture's versions do have an order; only those who are tested must not know. */
  #keep({ name, resourceVersion = '' }: ApiObject['metadata']): void {
    const version = versionOf(resourceVersion) ?? 0;
    if (version <= (this.#newest.get(name) ?? 0)) this.problems.push(`${name} told twice, or went back, at ${version}`);
    this.#newest.set(name, version);
    this.versions.set(name, resourceVersion);
  }
}

for (const [variant, options] of [
  ['streamed lists', {}],
  ['paged lists', { streamsLists: false }],
  ['refused versions', { goneAs: 'status' }],
] as const) {
  test(`whatever the server does, the cache becomes what it holds: ${variant}, ${ROUNDS} rounds`, async (t) => {
    const random = seededRandom(SEED).next;
    const server = await startServer(t, options);
    for (let i = 0; i < 150; i++) server.resource.put(`default/pod-${i}`, { spec: { text: 'ä€😀'.repeat(20) } });
    const { informer } = await startInformer(t, server, { sharedParts: ['spec'], random });
    const replay = new Replay();
    informer.addHandler(replay);

    for (let round = 0; round < ROUNDS; round++) {
      let faults = Math.floor(random() * 4);
      server.faults = () => (faults-- > 0 ? randomFault(random) : undefined);
      for (let step = random() * 12; step > 0; step--) {
        const key = `default/pod-${Math.floor(random() * 200)}`;
        if (random() < 0.3) server.resource.delete(key);
        else server.resource.put(key, { spec: { nodeName: `n-${Math.floor(random() * 9)}`, text: 'ä€😀'.repeat(20) } });
        if (random() < 0.1) await new Promise((resolve) => setImmediate(resolve));
        if (random() < 0.05) server.cutConnections();
      }
      if (random() < 0.2) server.resource.compact();
      if (random() < 0.2) server.bookmark();
      if (random() < 0.5) server.watches[0]?.end();
      await until(() => informer.hasSynced && isInSync(informer, server)).catch((cause: unknown) => {
        throw new Error(`round ${round} of seed ${SEED} did not converge`, { cause });
      });
      assert.deepEqual(replay.problems, [], `round ${round} of seed ${SEED}`);
    }
    const held = informer.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion] as const);
    assert.deepEqual(replay.versions, new Map(held)); // maps are equal whatever their order
    assert.ok(server.requests.length > ROUNDS / 2, 'hardly a fault struck');

    server.faults = () => undefined;
    for (const key of server.resource.keys()) server.resource.delete(key);
    await until(() => informer.size === 0);
    assert.equal(informer.sharedPartCount, 0, 'a part outlived its users');
  });
}
