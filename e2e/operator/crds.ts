import { type Condition, customResourceDefinition, type Flavour, isTrue, RESOURCES } from '@karpenter-ts/apis';
import type { Lab } from '../lab/lab.ts';
import { until } from './until.ts';

interface LiveCrd {
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Installs the kinds of a flavour. Resolves when the server serves them. */
export async function installCrds(lab: Lab, flavour: Flavour): Promise<void> {
  const items = RESOURCES[flavour].map(customResourceDefinition);
  await lab.kubectl(['create', '-f', '-'], { input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }) });
  await until('all kinds are served', async () => {
    const crds = JSON.parse(await lab.kubectl(['get', 'crd', '-o', 'json'])) as { readonly items: readonly LiveCrd[] };
    return crds.items.every((crd) => isTrue(crd, 'Established'));
  });
}
