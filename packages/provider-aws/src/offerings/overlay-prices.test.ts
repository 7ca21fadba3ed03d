import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeOverlay } from '@karpenter-ts/apis';
import { type CancellableClient, MINUTE, VirtualClock } from '@karpenter-ts/runtime';
import { NEVER, recordingLogger } from '@karpenter-ts/runtime/testing';
import { OverlayPrices, overlayPrices } from './overlay-prices.ts';
import { factsOf, typeEnvironment } from './testing/type-environment.ts';

interface Parts extends Partial<NodeOverlay['spec']> {
  readonly name?: string;
  readonly isValid?: boolean;
}

const INSTANCE_TYPES = (...values: string[]) => [
  { key: 'node.kubernetes.io/instance-type', operator: 'In' as const, values },
];

function overlay({ name = 'a', isValid = true, ...spec }: Parts): NodeOverlay {
  return {
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: INSTANCE_TYPES('new.large'), ...spec },
    status: {
      conditions: [
        {
          type: 'ValidationSucceeded',
          status: isValid ? 'True' : 'False',
          reason: '',
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
      ],
    },
  };
}

function environment() {
  const clock = new VirtualClock();
  const logger = recordingLogger();
  const api = { overlays: [] as NodeOverlay[], failure: undefined as Error | undefined, lists: 0 };
  const listAll = async (_type: unknown, _options: unknown, signal: AbortSignal) => {
    api.lists++;
    await Promise.resolve();
    signal.throwIfAborted();
    if (api.failure) throw api.failure;
    return { items: api.overlays, resourceVersion: '1' };
  };
  const client = { listAll } as unknown as Pick<CancellableClient, 'listAll'>;
  return { api, clock, logger, prices: new OverlayPrices({ client, clock, logger, stopping: NEVER }) };
}

test('07/48 a type without a price is available at the price of a NodeOverlay, and otherwise not', async () => {
  const { api, prices } = environment();
  const unpriced = { ...structuredClone(factsOf('m5.large')), InstanceType: 'new.large' as never };
  for (const isOn of [true, false]) {
    const { ec2, discovered, get } = await typeEnvironment({
      types: ['m5.large'],
      ...(isOn && { overlayPrices: prices }),
    });
    ec2.types[0]!.push(unpriced);
    ec2.offerings['new.large'] = ['us-west-2a'];
    await discovered.refreshTypes(NEVER);
    await discovered.refreshOfferings(NEVER);
    const available = () =>
      get('new.large')
        .offerings.filter((one) => one.available)
        .map(({ pricePerHour }) => pricePerHour);
    assert.deepEqual(available(), []);
    api.overlays = [overlay({ price: '1.5' })];
    await prices.refresh(NEVER);
    assert.deepEqual(available(), isOn ? [1.5, 1.5] : []);
  }
});

test('overlays count that are valid and set the price of types by name, and nothing else', () => {
  const zone = { key: 'topology.kubernetes.io/zone', operator: 'In' as const, values: ['us-west-2a'] };
  const types = INSTANCE_TYPES('new.large');
  const prices = (parts: Parts) => [...overlayPrices([overlay(parts)])];
  assert.deepEqual(prices({ price: '1', requirements: INSTANCE_TYPES('a', 'b') }), [
    ['a', 1],
    ['b', 1],
  ]);
  assert.deepEqual(prices({ price: '1', isValid: false }), []);
  assert.deepEqual(prices({ priceAdjustment: '+1' }), []);
  assert.deepEqual(prices({ price: '1', requirements: [...types, zone] }), []);
  assert.deepEqual(prices({ price: '1', requirements: [zone] }), []);
  assert.deepEqual(prices({ price: '1', requirements: [{ ...types[0]!, operator: 'NotIn' }] }), []);
});

test('of several overlays the heaviest counts, then the first by name', () => {
  const light = overlay({ name: 'a', price: '1' });
  const heavy = overlay({ name: 'c', price: '2', weight: 10 });
  const equal = overlay({ name: 'b', price: '3', weight: 10 });
  assert.deepEqual([...overlayPrices([heavy, light])], [['new.large', 2]]);
  assert.deepEqual([...overlayPrices([light, heavy, equal])], [['new.large', 3]]);
});

test('overlays are listed every five minutes at most, and at once after a failure', async () => {
  const { api, clock, logger, prices } = environment();
  api.overlays = [overlay({ price: '1' })];
  await Promise.all([prices.refresh(NEVER), prices.refresh(NEVER)]);
  await prices.refresh(NEVER);
  assert.deepEqual([api.lists, prices.find('new.large'), prices.version], [1, 1, 1]);
  await clock.advance(5 * MINUTE);
  api.failure = new Error('no answer');
  await prices.refresh(NEVER);
  assert.deepEqual([api.lists, prices.find('new.large'), prices.version], [2, undefined, 2]);
  assert.deepEqual(
    logger.lines.map(({ message, error }) => [message, error]),
    [['failed to list NodeOverlays for overlay pricing', 'no answer']],
  );
  api.failure = undefined;
  await prices.refresh(NEVER);
  assert.deepEqual([api.lists, prices.find('new.large')], [3, 1]);
});

test('one who asks for the overlays and leaves takes nothing from the others', async () => {
  const { api, logger, prices } = environment();
  api.overlays = [overlay({ price: '1' })];
  const givenUp = new AbortController();
  const first = prices.refresh(givenUp.signal);
  const second = prices.refresh(NEVER);
  givenUp.abort(new Error('gone'));
  await assert.rejects(first, new Error('gone'));
  await second;
  assert.deepEqual([api.lists, prices.find('new.large'), logger.lines], [1, 1, []]);
});
