import { BUILT_EXTENSIONS, isExtensionOn } from '@karpenter-ts/apis';
import type { OperatorOptions } from '../options/operator-options.ts';

type Gate = keyof OperatorOptions['featureGates'];

/** The feature gates that have an effect. */
const BUILT_GATES: ReadonlySet<Gate> = new Set<Gate>(['NodeRepair', 'ReservedCapacity', 'SpotToSpotConsolidation']);

/**
 * Settings without effect, because their feature is not built or switched off: one line each, to be logged at the
 * start. All of upstream's settings are accepted, so that its manifests work, but users must know what will not happen.
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

/**
 * Why the controller must not start with these settings: they ask for features that are not built and would do harm if
 * half-built.
 */
export function refuseUnbuiltSettings({
  ignoreDraRequests,
}: Pick<OperatorOptions, 'ignoreDraRequests'>): readonly string[] {
  if (ignoreDraRequests) return [];
  return [
    '--ignore-dra-requests=false is not supported: dynamic resource allocation is not built, and nodes would be bought ' +
      'without regard to the devices that pods claim',
  ];
}
