import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { ApiObject } from '@karpenter-ts/kubernetes';
import { Informer, type InformerOptions } from '../informer/informer.ts';
import { nullLogger } from '../logger.ts';
import { realClock } from '../real-clock.ts';
import { PODS, testClient } from './fixture-client.ts';
import { type FixtureOptions, FixtureServer } from './fixture-server.ts';

/** The objects of the fixtures. */
export interface FixturePod extends ApiObject {
  readonly spec?: { readonly nodeName?: string };
}

/** An informer, and what a handler has received from it. */
export interface FixtureInformer {
  readonly informer: Informer<FixturePod, 'node'>;
  readonly log: readonly string[];
}

/** A running informer on a fixture server, which stops with the test. Its retries take milliseconds. */
export async function startInformer(
  t: TestContext,
  server: FixtureServer,
  options: Partial<InformerOptions<FixturePod, 'node'>> = {},
): Promise<FixtureInformer> {
  const { client, close } = testClient(server.url);
  const stop = new AbortController();
  const log: string[] = [];
  const informer = new Informer<FixturePod, 'node'>({
    client,
    type: PODS,
    clock: realClock,
    logger: nullLogger,
    backOff: { base: 2, cap: 20 },
    indexes: { node: (pod) => (pod.spec?.nodeName ? [pod.spec.nodeName] : []) },
    ...options,
  });
  informer.addHandler({
    onAdd: (pod, isInitial) => log.push(`add ${pod.metadata.name}${isInitial ? ' initially' : ''}`),
    onUpdate: (_old, pod) => log.push(`update ${pod.metadata.name}`),
    onDelete: (pod) => log.push(`delete ${pod.metadata.name}`),
  });
  const running = informer.start(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
    close();
  });
  return { informer, log };
}

/** A fixture server that stops with the test. */
export async function startServer(t: TestContext, options: FixtureOptions = {}): Promise<FixtureServer> {
  const server = new FixtureServer(options);
  await server.start();
  t.after(() => server.stop());
  return server;
}

/** Resolves when `holds` returns true; fails the test after five seconds. */
export async function until(holds: () => boolean): Promise<void> {
  const deadline = performance.now() + 5000;
  while (!holds()) {
    if (performance.now() > deadline) assert.fail(`never came true: ${holds.toString()}`);
    await delay(2);
  }
}

/** Whether cache and server hold the same versions of the same objects. */
export function isInSync(informer: Informer<FixturePod, 'node'>, { resource }: FixtureServer): boolean {
  const versionIn = (holder: { get(key: string): ApiObject | undefined }, key: string) =>
    holder.get(key)?.metadata.resourceVersion;
  return (
    informer.size === resource.size &&
    resource.keys().every((key) => versionIn(informer, key) === versionIn(resource, key))
  );
}
