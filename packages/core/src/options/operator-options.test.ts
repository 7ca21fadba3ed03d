import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreOptions } from './core-options.ts';
import { disruptionOptions } from './disruption-options.ts';
import { extensionOptions } from './extension-options.ts';

/** Of upstream's AWS provider 1.14.1; the variables are the same in capitals. */
const AWS_FLAGS = [
  'cluster-ca-bundle',
  'cluster-name',
  'cluster-endpoint',
  'isolated-vpc',
  'eks-control-plane',
  'vm-memory-overhead-percent',
  'interruption-queue',
  'reserved-enis',
  'disable-dry-run',
  'enable-zonal-shift',
  'ami-refresh-interval',
  'subnet-refresh-interval',
];

test('09/116 no setting of ours has the name of one of upstream’s', () => {
  const upstream = new Set([...Object.values(coreOptions).map(({ flag }) => flag), ...AWS_FLAGS]);
  const rows = Object.values({ ...extensionOptions, ...disruptionOptions });
  const ours = rows.map(({ flag }) => flag);
  assert.ok(ours.length > 0);
  assert.deepEqual(
    ours.filter((flag) => upstream.has(flag)),
    [],
  );
  const variables = new Set(Object.values(coreOptions).map(({ variable }) => variable));
  assert.ok(rows.every(({ variable }) => !variables.has(variable)));
});
