import { BUILT_EXTENSIONS, isExtensionOn } from '@karpenter-ts/apis';
import type { OperatorOptions } from '../options/operator-options.ts';

type Gate = keyof OperatorOptions['featureGates'];

/** The feature gates that switch something. */
const BUILT_GATES: ReadonlySet<Gate> = new Set<Gate>(['NodeRepair', 'ReservedCapacity']);

/**
 * What is set and does nothing, because what it is for is not built or is switched off: one line each, to be logged at the start.
 * Upstream's settings are all accepted, so that its manifests work; nobody should wait for what will not come.
 */
export function listUnbuiltSettings(
  options: Pick<OperatorOptions, 'featureGates' | 'extensions' | 'karpenterService' | 'nodeFee'>,
): readonly string[] {
  const { featureGates, extensions, karpenterService, nodeFee } = options;
  const gates = (Object.keys(featureGates) as Gate[]).filter((gate) => featureGates[gate] && !BUILT_GATES.has(gate));
  const ids = extensions === 'all' ? [] : [...extensions].filter((id) => !BUILT_EXTENSIONS.has(id));
  return [
    ...(gates.length === 0 ? [] : [`ignoring feature gates that are not built: ${gates.join(', ')}`]),
    ...(ids.length === 0 ? [] : [`ignoring extensions that are not built: ${ids.join(', ')}`]),
    ...(nodeFee === 0 || isExtensionOn(extensions, 'A4') ? [] : ['ignoring --node-fee: A4 is not among --extensions']),
    ...(karpenterService === '' ? [] : ['ignoring --karpenter-service: it has no effect']),
  ];
}

/** Why the controller must not start with these settings: what they ask for is not built, and would do harm half-built. */
export function refuseUnbuiltSettings({
  ignoreDraRequests,
}: Pick<OperatorOptions, 'ignoreDraRequests'>): readonly string[] {
  if (ignoreDraRequests) return [];
  return [
    '--ignore-dra-requests=false is not supported: dynamic resource allocation is not built, and nodes would be bought ' +
      'without regard to the devices that pods claim',
  ];
}
