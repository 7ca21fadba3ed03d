import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isLastResort } from './last-resort.ts';

const typeOf = (size: string, capacity: Readonly<Record<string, string>>) => ({
  requirements: [{ key: 'karpenter.k8s.aws/instance-size', operator: 'In', values: [size] }],
  capacity,
});

test('07/60 metal types and types with accelerators are the last resort, and those with EFA are not', () => {
  assert.equal(isLastResort(typeOf('large', { cpu: '2', 'nvidia.com/gpu': '0' })), false);
  assert.equal(isLastResort(typeOf('large', { 'vpc.amazonaws.com/efa': '1' })), false);
  assert.equal(isLastResort(typeOf('metal-24xl', {})), true);
  for (const device of [
    'aws.amazon.com/neuron',
    'aws.amazon.com/neuroncore',
    'amd.com/gpu',
    'nvidia.com/gpu',
    'habana.ai/gaudi',
  ]) {
    assert.equal(isLastResort(typeOf('large', { [device]: '1' })), true, device);
  }
});

test('a type without a size is judged by its devices', () => {
  const size = { key: 'karpenter.k8s.aws/instance-size', operator: 'DoesNotExist' };
  assert.equal(isLastResort({ requirements: [size], capacity: {} }), false);
});
