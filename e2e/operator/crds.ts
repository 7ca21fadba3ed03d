import { customResourceDefinition, type Flavour, RESOURCES } from '@karpenter-ts/apis';
import type { Lab } from '../lab/lab.ts';
import { until } from './until.ts';

/**
 * Installs the CRDs of a flavour. Resolves when the server discovers and serves them, which is later than its condition
 * says.
 */
export async function installCrds(lab: Lab, flavour: Flavour): Promise<void> {
  const items = RESOURCES[flavour].map(customResourceDefinition);
  await lab.kubectl(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  const kinds = RESOURCES[flavour].map(({ plural, group }) => `${plural}.${group}`);
  await until('all kinds are served', async () => {
    await lab.kubectl(['get', kinds.join(), '--all-namespaces']);
    return true;
  });
}
